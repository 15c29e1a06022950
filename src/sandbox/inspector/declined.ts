/** Thrown anywhere in a control call to answer it at once with `{ message }`. */
export class Declined extends Error {
  readonly status: 400 | 403 | 404 | 405 | 409;

  constructor(status: Declined['status'], message: string) {
    super(message);
    this.name = 'Declined';
    this.status = status;
  }
}
