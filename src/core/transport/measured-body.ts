import { types } from 'node:util';
import type { TransportRequest } from './transport.js';

/** The body of a request: as it is where it is in memory, else measured. */
export function bodyOf({
  body,
  bodyLength,
}: Pick<TransportRequest, 'body' | 'bodyLength'>): Uint8Array | MeasuredBody | undefined {
  return body !== undefined && Symbol.asyncIterator in body ? new MeasuredBody(body, bodyLength) : body;
}

/**
 * A request body that is read while it is sent: once, and exactly as many bytes as were announced. The chunk that
 * would complete the request is held back until the reader has come to its end without an error, so that whatever
 * goes wrong while reading leaves the request incomplete.
 */
export class MeasuredBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #length: number;
  #reader: AsyncIterator<Uint8Array> | undefined;
  #read = 0;
  #held: Uint8Array | undefined;
  #state: 'reading' | 'ended' | 'stopped' = 'reading';

  /** `length` is in bytes. */
  constructor(source: AsyncIterable<Uint8Array>, length: number) {
    this.#source = source;
    this.#length = length;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws Error always: what the reader throws, or that there are too many or too few bytes. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      return await this.#next();
    } catch (error) {
      this.stop();
      throw error instanceof Error ? error : new Error(String(error), { cause: error });
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.stop();
    return Promise.resolve(DONE);
  }

  /** Lets the reader go; a read that is under way is not waited for. */
  stop(): void {
    if (this.#state !== 'reading') return;
    this.#state = 'stopped';
    this.#held = undefined;
    const end = async () => this.#open().return?.();
    // What a reader says that nobody reads any more changes nothing.
    end().catch(() => undefined);
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#state === 'reading') {
      const { done, value } = await this.#open().next();
      if (this.#state !== 'reading') break;
      if (done === true) {
        if (this.#read < this.#length) throw this.#wrongLength('ended after', this.#read);
        this.#state = 'ended';
        break;
      }
      if (!types.isUint8Array(value)) throw new TypeError('The body must be read as chunks of bytes');
      this.#read += value.length;
      if (this.#read > this.#length) throw this.#wrongLength('went on after', this.#length);
      if (this.#read < this.#length) return { done: false, value };
      if (value.length > 0) this.#held = value;
    }
    // Never as an end: that could be taken for the end of the body.
    if (this.#state === 'stopped') throw new Error('The body is not wanted any more');
    const value = this.#held;
    this.#held = undefined;
    return value === undefined ? DONE : { done: false, value };
  }

  #open(): AsyncIterator<Uint8Array> {
    this.#reader ??= this.#source[Symbol.asyncIterator]();
    return this.#reader;
  }

  #wrongLength(what: string, bytes: number): Error {
    return new Error(`The body ${what} ${bytes} bytes, though ${this.#length} were announced`);
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
