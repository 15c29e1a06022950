import type { RequestBody } from './body.js';
import type { BinaryReply } from './caller.js';
import type { PreparedCall } from './prepare.js';
import { readBinary, readText, TooLarge } from './read.js';
import type { Reply } from './reply.js';
import { headerOf, isObject } from './reply.js';
import { Stopped, type Stretch } from './stop.js';
import { type Transport, TransportFailure, type TransportReply, type TransportRequest } from './transport.js';

/** How one attempt ended, before anyone says what it means. */
export type AttemptEnd =
  | {
      readonly kind: 'reply';
      readonly reply: Reply;
      readonly binary?: BinaryReply;
      readonly problem?: string;
    }
  | { readonly kind: 'failure'; readonly sent: 'no' | 'maybe'; readonly cause: unknown }
  /** The body could not be read to its end, so no whole request left. */
  | { readonly kind: 'unread_body'; readonly cause: unknown }
  | {
      readonly kind: 'stopped';
      readonly stopped: Stopped;
      readonly sent: 'no' | 'maybe';
      /** What was being waited for, where it wasn't the service. */
      readonly during?: Wait;
    };

/** What a call waits for besides the service. */
export type Wait = 'quota' | 'credentials' | 'file' | 'journal' | 'key' | 'retry';

/** What one attempt sends. */
export interface SignedAttempt extends Pick<TransportRequest, 'connecting'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
}

export interface AttemptTools {
  readonly transport: Transport;
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxReplyBytes: number;
  /** The error that the reader of a binary body sees when the body breaks off. */
  streamError(end: AttemptEnd): Error;
}

/** Sends and reads once. Never throws for what the network or the service does. */
export async function attempt(
  call: PreparedCall,
  signed: SignedAttempt,
  stretch: Stretch,
  tools: AttemptTools,
): Promise<AttemptEnd> {
  // Checked before the first byte: a signal that fired during a wait must not let a request out.
  if (stretch.signal.aborted) return { kind: 'stopped', stopped: stopOf(stretch.signal.reason), sent: 'no' };
  const opened = signed.body === undefined ? undefined : watched(signed.body);
  const sending = sendBy(tools.transport, {
    origin: call.origin,
    path: call.wirePath,
    method: call.wireMethod,
    headers: signed.headers,
    body: opened?.bytes,
    bodyLength: signed.body?.length ?? 0,
    streams: call.route.envelope === 'binary',
    signal: stretch.signal,
    ...(signed.connecting !== undefined && { connecting: signed.connecting }),
  });
  let failure: unknown;
  sending.catch((error: unknown) => {
    failure = error;
  });
  let reply: TransportReply;
  try {
    reply = await stretch.race(sending);
  } catch (error) {
    // A transport that ignores the signal may still answer: its reply is let go.
    sending.then(letGo).catch(() => undefined);
    // One that obeys it is about to say whether anything had left.
    await Promise.race([sending.catch(() => undefined), turnOfTheLoop()]);
    if (opened?.failure !== undefined) return { kind: 'unread_body', cause: opened.failure.cause };
    return endOf(error, stretch, failure instanceof TransportFailure ? failure.sent : 'maybe');
  }
  try {
    return await read(call, reply, stretch, tools);
  } catch (error) {
    letGo(reply);
    return endOf(error, stretch);
  }
}

async function read(
  call: PreparedCall,
  reply: TransportReply,
  stretch: Stretch,
  tools: AttemptTools,
): Promise<AttemptEnd> {
  const { status, headers } = reply;
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    letGo(reply);
    return {
      kind: 'reply',
      reply: { status, headers, json: undefined },
      problem: 'its body is encoded, though no encoding was asked for',
    };
  }
  if (stretch.signal.aborted) throw stretch.signal.reason;
  if (call.route.envelope === 'binary' && call.route.success.includes(status)) {
    stretch.liftTimeout();
    const binary = readBinary(reply, stretch, (error) => tools.streamError(endOf(error, stretch)));
    return { kind: 'reply', reply: { status, headers, json: undefined }, binary };
  }
  try {
    const text = await stretch.race(readText(reply.body, tools.maxReplyBytes));
    return { kind: 'reply', reply: { status, headers, json: parse(text), empty: text === '' } };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    letGo(reply);
    return { kind: 'reply', reply: { status, headers, json: undefined }, problem: error.message };
  }
}

interface Watched {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  failure?: { readonly cause: unknown };
}

/** Notes why a body could not be read, because what a transport makes of that is its own affair. */
function watched(body: RequestBody): Watched {
  const bytes = body.open();
  if (bytes instanceof Uint8Array) return { bytes };
  const watch: Watched = { bytes: noting(bytes, (cause) => Object.assign(watch, { failure: { cause } })) };
  return watch;
}

async function* noting(
  source: AsyncIterable<Uint8Array>,
  note: (cause: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** A transport that throws at once, or returns no promise, fails like any other. */
async function sendBy(transport: Transport, request: TransportRequest): Promise<TransportReply> {
  const reply: unknown = await transport.send(request);
  if (isReply(reply)) return reply;
  throw new TypeError('The injected transport resolved to something that is no reply');
}

function letGo(reply: TransportReply): void {
  try {
    reply.discard();
  } catch {
    // What became of the request is what counts, not how its connection is let go.
  }
}

function isReply(reply: unknown): reply is TransportReply {
  if (typeof reply !== 'object' || reply === null) return false;
  const { status, headers, body, discard }: Partial<Record<keyof TransportReply, unknown>> = reply;
  return typeof status === 'number' && isObject(headers) && isObject(body) && typeof discard === 'function';
}

function endOf(error: unknown, stretch: Stretch, sent: 'no' | 'maybe' = 'maybe'): AttemptEnd {
  if (stretch.signal.aborted) return { kind: 'stopped', stopped: stopOf(stretch.signal.reason), sent };
  if (error instanceof TransportFailure) return { kind: 'failure', sent: error.sent, cause: error.cause };
  return { kind: 'failure', sent: 'maybe', cause: error };
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function stopOf(reason: unknown): Stopped {
  return reason instanceof Stopped ? reason : new Stopped('aborted', reason);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
