/** A body that is pushed in and iterated out, once; the source is asked to pause while too much is waiting. */
export class Chunks implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #queue: Uint8Array[] = [];
  readonly #flow: Flow;
  #waitingBytes = 0;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #reader:
    | { resolve(next: IteratorResult<Uint8Array, undefined>): void; reject(error: unknown): void }
    | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader !== undefined) {
      this.#take()?.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > HIGH_WATER) this.#flow.pause();
  }

  end(): void {
    this.#ended = true;
    this.#take()?.resolve(DONE);
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#take()?.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#queue.shift();
    if (value !== undefined) {
      this.#waitingBytes -= value.length;
      if (this.#waitingBytes <= HIGH_WATER) this.#flow.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** Called where a `for await` is left early: the rest is not wanted. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#flow.cancel();
    return Promise.resolve(DONE);
  }

  #take() {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}

/** What a body can ask of where it comes from. */
export interface Flow {
  pause(): void;
  resume(): void;
  cancel(): void;
}

const HIGH_WATER = 64 * 1024;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
