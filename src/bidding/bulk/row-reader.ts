/** Rows of a source, one by one. Closing it ends the wait for a row that may never come. */
export class RowReader<T> {
  readonly #iterator: Iterator<T> | AsyncIterator<T>;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(source: Iterable<T> | AsyncIterable<T>) {
    this.#iterator =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** The next row; `done` at the end of the source, and once the reader is closed. Rejects with what the source throws. */
  next(): Promise<IteratorResult<T, unknown>> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve({ done: true, value: undefined });
      if (this.#isClosed) this.#wake();
      else Promise.resolve(this.#iterator.next()).then(resolve, reject);
    });
  }

  /** Reads no more. The source is told, and not waited for: it may be stuck. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wake();
    new Promise((resolve) => resolve(this.#iterator.return?.())).catch(() => undefined);
  }
}
