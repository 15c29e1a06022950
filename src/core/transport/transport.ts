import { types } from 'node:util';

/** One signed request, ready for the wire. */
export interface TransportRequest {
  /** Scheme, host and port, such as `https://bank.example`. */
  readonly origin: string;
  /** Path and query, exactly as signed after any front-controller segment. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes to send: in memory, or as they are read. Read them once; where reading fails, the request must not
   * be completed. `bodyLength` is how many there are.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Bytes of the body; 0 without one. */
  readonly bodyLength: number;
  /** True where the body of the reply is handed on as a stream and may be read slowly. */
  readonly streams: boolean;
  /** Fires when the attempt must end at once. */
  readonly signal: AbortSignal;
  /** @internal The same, for a transport of this package. */
  readonly stop?: Stop;
  /**
   * There where the request may leave only until a certain time: of use to a transport that knows when the first byte is
   * about to leave, and of none to others. Call it before connecting, and what it returns right before that byte; in
   * between, `signal` also fires once it is too late. Look at `signal` then, and fail with `sent: 'no'` where it has fired.
   */
  readonly connecting?: () => () => void;
}

/** What ends an exchange early. Cheaper than a signal, which is made only where somebody asks for one. */
export interface Stop {
  readonly isStopped: boolean;
  /** Why; undefined before. */
  readonly reason: unknown;
  /** Calls the listener when it stops. One at a time: undefined takes it back. */
  listen(listener: (() => void) | undefined): void;
}

export interface TransportReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives; iterate it once, or discard it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Lets go of an unread body and its connection. */
  discard(): void;
}

/** Carries bytes. It follows no redirect, retries nothing, and interprets nothing. */
export interface Transport {
  /** @throws TransportFailure where no reply began. */
  send(request: TransportRequest): Promise<TransportReply>;
  close(): Promise<void>;
}

const failureBrand = Symbol.for('vehicle-auction-sdk.transportFailure');

/** No reply began. `sent` is `no` only where it is certain that no byte of the request left. */
export class TransportFailure extends Error {
  static {
    this.prototype.name = 'TransportFailure';
  }

  /** Also one of the other build (ESM, CJS), whose class is another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && Reflect.get(value, failureBrand) === true;
  }

  readonly [failureBrand] = true;

  readonly sent: 'no' | 'maybe';

  constructor(sent: 'no' | 'maybe', cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.sent = sent;
  }
}

/** Releases a reply that is not read. The result of the request counts, not how its connection is released. */
export function discardQuietly(reply: TransportReply): void {
  try {
    reply.discard();
  } catch {
    // Of a transport that throws here.
  }
}

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
