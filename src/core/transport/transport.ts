import { identify } from '../../errors/base.js';
import { thrownMessage } from '../../errors/thrown.js';
import type { ChunkReader } from '../../ports/caller.js';

/** One signed request, ready for the wire. */
export interface TransportRequest {
  /** Scheme, host and port, such as `https://bank.example`. */
  readonly origin: string;
  /** Path and query, exactly as signed after any front-controller segment. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes to send: in memory, or as a stream. Read them once; if reading fails, do not complete the request.
   * `bodyLength` is their number. The last bytes are read only once all are known to be right.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Bytes of the body; 0 without one. */
  readonly bodyLength: number;
  /** True if the body of the reply is returned as a stream and may be read slowly. */
  readonly streams: boolean;
  /** Fires when the attempt must end at once. */
  readonly signal: AbortSignal;
  /** @internal The same, for a transport of this package. */
  readonly stop?: Stop;
  /**
   * Present if the request may only leave until a certain time. It is for a transport that knows when the first byte is
   * about to leave; others ignore it. Call it before connecting, and call the function that it returns right before
   * that byte; in between, `signal` also fires once it is too late. Check `signal` then, and fail with `sent: 'no'` if
   * it has fired.
   */
  readonly connecting?: () => () => void;
}

/** Ends an exchange early. Cheaper than a signal, which is made only on request. */
export interface Stop {
  /** Why it was stopped; undefined before. */
  readonly reason: Error | undefined;
  /** Called when it stops. */
  onStop: (() => void) | undefined;
}

export interface TransportReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives; iterate it once, or discard it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Discards an unread body and frees its connection. */
  discard(): void;
}

/** Carries bytes. It follows no redirect, retries nothing, and interprets nothing. */
export interface Transport {
  /**
   * Sends one request and resolves when the headers of the reply are there.
   *
   * @throws TransportFailure if no reply began
   */
  send(request: TransportRequest): Promise<TransportReply>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** No reply began. `sent` is `no` only if it is certain that no byte of the request left. */
export class TransportFailure extends Error {
  static {
    identify(this, 'TransportFailure');
  }

  readonly sent: 'no' | 'maybe';

  constructor(sent: 'no' | 'maybe', cause: unknown) {
    super(thrownMessage(cause), { cause });
    this.sent = sent;
  }
}

/** Releases a reply that is not read. The result of the request counts, not how its connection is released. */
export function discardQuietly(reply: TransportReply): void {
  try {
    reply.discard();
  } catch {
    // A custom transport threw from `discard()`; ignore it.
  }
}

/** The chunks of a web stream, which not every runtime can iterate; none without a reader. */
export async function* webStreamChunks(
  reader?: Pick<ChunkReader, 'read' | 'cancel'>,
): AsyncGenerator<Uint8Array> {
  if (reader === undefined) return;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Not awaited: a stream that hangs would not end.
    reader.cancel().catch(() => undefined);
  }
}
