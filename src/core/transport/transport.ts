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
   * The bytes to send: in memory, or as they are read. Read them once; where reading fails, the request must not
   * be completed. `bodyLength` is how many there are. The last bytes are read only once all are known to be right.
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

/** What ends an exchange early. Cheaper than a signal, which is made only on request. */
export interface Stop {
  /** Why it is over; undefined before. */
  readonly reason: Error | undefined;
  /** Is called when it stops. */
  onStop: (() => void) | undefined;
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
  /**
   * Sends one request and resolves when the headers of the reply are there.
   *
   * @throws TransportFailure if no reply began
   */
  send(request: TransportRequest): Promise<TransportReply>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** No reply began. `sent` is `no` only where it is certain that no byte of the request left. */
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
    // Of a transport that throws here.
  }
}

/** The chunks of a web stream, which not every runtime can iterate; none without a reader. */
export async function* chunksOf(reader?: Pick<ChunkReader, 'read' | 'cancel'>): AsyncGenerator<Uint8Array> {
  if (reader === undefined) return;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Not awaited: a stream that hangs would not end.
    reader.cancel().catch(() => undefined);
  }
}
