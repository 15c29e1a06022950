/** Results on their way to whoever reads them. Nobody has to: they wait here, and bidding goes on. */
export class Outbox<T extends object> {
  readonly #results: T[] = [];
  readonly #readers: { resolve(next: IteratorResult<T, undefined>): void; reject(error: unknown): void }[] =
    [];
  #end: { readonly error?: unknown } | undefined;

  put(result: T): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#results.push(result);
    else reader.resolve({ done: false, value: result });
  }

  /** Nothing more comes. With an error, readers meet it behind the last result. */
  end(error?: { readonly error: unknown }): void {
    this.#end = error ?? {};
    for (const reader of this.#readers.splice(0)) this.#finish(reader);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      const result = this.#results.shift();
      if (result !== undefined) resolve({ done: false, value: result });
      else if (this.#end === undefined) this.#readers.push({ resolve, reject });
      else this.#finish({ resolve, reject });
    });
  }

  #finish(reader: { resolve(next: IteratorResult<T, undefined>): void; reject(error: unknown): void }): void {
    if (this.#end !== undefined && 'error' in this.#end) reader.reject(this.#end.error);
    else reader.resolve({ done: true, value: undefined });
  }
}
