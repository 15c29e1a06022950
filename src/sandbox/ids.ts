import { createHash } from 'node:crypto';

/** Ids that look random and come out the same for the same seed. */
export class Ids {
  readonly #seed: number;
  readonly #counts = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** `kind_` and twelve hex digits, never the same twice. */
  next(kind: string): string {
    return `${kind}_${this.#digest(kind).slice(0, 12)}`;
  }

  /** A version 4 UUID in shape. */
  uuid(): string {
    const hex = this.#digest('uuid');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  #digest(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return createHash('sha256').update(`${this.#seed}/${kind}/${count}`).digest('hex');
  }
}
