import { isObject } from '../api/check.js';
import { patterns } from '../api/formats.js';
import type { Clock, ServerClock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';
import { type Deadline, nextTurn, type StopKind, Stopped } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import type { CallLimits } from './caller.js';
import { safeCause } from './redact.js';
import {
  type AttemptEnd,
  type AttemptResult,
  type ClassifiedCall,
  classifyError,
  describeCause,
  IN_DOUBT,
  IN_DOUBT_AGAIN,
  limitOf,
  NOT_SENT,
  recordFacts,
} from './reply/classify.js';
import { connectionFacts, isTlsFailure } from './reply/connection.js';
import { type DownloadTools, downloadOf } from './reply/download.js';
import { type FailureContext, failureOf } from './reply/failure.js';
import { type Replied, readReply, understand } from './reply/reply.js';
import type { RequestBody } from './request/file-body.js';
import type { PreparedCall } from './request/prepare.js';
import {
  discardQuietly,
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './transport/transport.js';

/**
 * Signs, sends, reads and classifies once. Failures of signing, the network and the service become an `AttemptEnd` and
 * are never thrown.
 */

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The parts of a client that an attempt uses. */
export interface AttemptParts {
  readonly transport: Transport;
  readonly serverClock: ServerClock;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Headers of every request: the user agent, and those of the option `headers`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxReplyBytes: number;
}

/** Time limit for sending a recorded call. */
interface Departure {
  /** Milliseconds; infinite if it has no such limit. */
  msToDepart(): number;
}

/** The call that an attempt belongs to. */
export interface AttemptedCall extends ClassifiedCall {
  readonly call: PreparedCall;
  readonly limits: CallLimits;
  readonly parts: AttemptParts;
  readonly body: RequestBody | undefined;
  /** Whether one unreadable record makes a list unreadable. */
  readonly isStrict: boolean;
  /** Absent for a call without a record. */
  readonly journal: Departure | undefined;
  readonly context: FailureContext;
  /** Signatures so far, for redaction. */
  readonly signatures: string[];
}

/** The signature of one attempt, with everything in it that differs between attempts. */
export interface SignedAttempt {
  /** `X-Timestamp`, Unix seconds: copies of it can be let in until 300 seconds later. */
  readonly timestamp: number;
  readonly nonce: string;
  readonly signature: string;
}

/** Stamps an attempt with server time and a fresh nonce, and signs it. */
export function sign(
  state: AttemptedCall,
  signer: Signer,
  deadline: Deadline,
): SignedAttempt | AttemptEnd | Promise<SignedAttempt | AttemptEnd> {
  const { call, body, parts } = state;
  let option = 'clock or randomness';
  try {
    const timestamp = Math.floor(parts.serverClock.now() / 1000);
    const nonce = parts.randomness.nonce();
    if (!patterns.nonce.test(nonce)) {
      return injected('randomness.nonce', 'must return 16 to 128 letters, digits, "_" or "-"');
    }
    if (!Number.isSafeInteger(timestamp)) return injected('clock.now', 'must return Unix milliseconds');
    option = 'credentials.sign';
    const stamp = { timestamp, nonce };
    const signature = signer.sign({
      method: call.route.method,
      path: call.signedPath,
      canonicalQuery: call.canonicalQuery,
      bodySha256: body?.sha256 ?? EMPTY_SHA256,
      ...stamp,
    });
    if (typeof signature !== 'string') return signedElsewhere(state, deadline, stamp, signature);
    state.signatures.push(signature);
    return { ...stamp, signature };
  } catch (error) {
    const cause = safeCause(error, state.redact);
    return injected(option, `${SIGNING_FAILED}: ${describeCause(cause)}`, cause);
  }
}

const SIGNING_FAILED = 'failed while an attempt was being signed';

/** Waits for a remote signature, within the call's deadline. */
async function signedElsewhere(
  state: AttemptedCall,
  deadline: Deadline,
  stamp: Omit<SignedAttempt, 'signature'>,
  signing: Promise<string>,
): Promise<SignedAttempt | AttemptEnd> {
  deadline.during = 'credentials';
  deadline.limit();
  try {
    const signature = await deadline.race(signing);
    state.signatures.push(signature);
    return { ...stamp, signature };
  } catch (error) {
    if (error instanceof Stopped) return { kind: 'stopped', sent: 'no', stopped: error };
    const cause = safeCause(error, state.redact);
    // The message of the HSM says more than that it failed.
    return injected('credentials.sign', `${SIGNING_FAILED}: ${describeCause(cause)}`, cause);
  }
}

function injected(option: string, problem: string, cause?: Error): AttemptEnd {
  return { kind: 'injected', option, problem, ...(cause !== undefined && { cause }) };
}

/** Sends and reads once. */
export async function exchange(
  state: AttemptedCall,
  signer: Signer,
  signed: SignedAttempt,
  deadline: Deadline,
): Promise<AttemptEnd> {
  // Check before the first byte: a request must not be sent once its signal has fired.
  if (deadline.reason !== undefined) return { kind: 'stopped', sent: 'no', stopped: deadline.reason };
  const seen: Progress = {};
  const flight = sendAndRead(state, signer, signed, deadline, seen);
  try {
    return await deadline.race(flight);
  } catch (error) {
    if (seen.reply !== undefined) {
      discardQuietly(seen.reply);
      return endOf(state, deadline, error, 'maybe');
    }
    // A transport that obeys its signal is about to report whether anything left.
    let failure: unknown;
    const settled = flight.catch((late: unknown) => {
      failure = late;
    });
    await Promise.race([settled, nextTurn()]);
    if (seen.unreadable !== undefined) {
      return { kind: 'body_unreadable', cause: safeCause(seen.unreadable.cause, state.redact) };
    }
    return endOf(state, deadline, error, failure instanceof TransportFailure ? failure.sent : 'maybe');
  }
}

/** Progress of an exchange. */
interface Progress {
  reply?: TransportReply;
  /** Why the body could not be read: a transport may report it in any way. */
  unreadable?: { readonly cause: unknown };
}

/** Sends a request and reads its reply. A transport that throws at once, or returns no promise, fails like any other. */
async function sendAndRead(
  state: AttemptedCall,
  { clientId, keyId }: Signer,
  { timestamp, nonce, signature }: SignedAttempt,
  deadline: Deadline,
  seen: Progress,
): Promise<Replied> {
  const { call, body, parts } = state;
  const isDownload = call.route.envelope === 'binary';
  const bytes = body?.open((cause) => {
    seen.unreadable = { cause };
  });
  const connecting = state.journal && connectingInTime(state, state.journal, deadline);
  const reply: unknown = await parts.transport.send({
    origin: call.origin,
    path: call.wirePath,
    method: call.wireMethod,
    headers: {
      accept: isDownload ? '*/*' : 'application/json',
      // A compressed reply could be a bomb, and nothing in the API is large enough to need compression.
      'accept-encoding': 'identity',
      'cache-control': 'no-cache, no-store',
      'X-Client-ID': clientId,
      'X-Key-ID': keyId,
      'X-Timestamp': String(timestamp),
      'X-Nonce': nonce,
      'X-Content-SHA256': body?.sha256 ?? EMPTY_SHA256,
      'X-Signature': signature,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
      ...parts.headers,
    },
    body: bytes,
    bodyLength: body?.length ?? 0,
    streams: isDownload,
    get signal() {
      return deadline.signal;
    },
    stop: deadline,
    ...(connecting !== undefined && { connecting }),
  });
  if (!isReply(reply))
    throw new TypeError('The injected transport resolved to something that is not a reply');
  seen.reply = reply;
  if (deadline.reason !== undefined) {
    // The transport ignored its signal.
    discardQuietly(reply);
    throw deadline.reason;
  }
  const download = isDownload
    ? (file: AsyncIterable<Uint8Array>) => downloadOf(reply, file, deadline, downloadTools(state, deadline))
    : undefined;
  const { route } = call;
  const read = await readReply(route, reply, parts.maxReplyBytes, download);
  return understand(route, read, parts.clock.now(), state.isStrict);
}

/** Returns why no reply was read. `sent` is what the transport reported when it was stopped. */
function endOf(state: AttemptedCall, deadline: Deadline, error: unknown, sent: 'no' | 'maybe'): AttemptEnd {
  if (deadline.reason !== undefined) return { kind: 'stopped', sent, stopped: deadline.reason };
  const isKnown = error instanceof TransportFailure;
  const cause = safeCause(isKnown ? error.cause : error, state.redact);
  return { kind: 'network', sent: isKnown ? error.sent : 'maybe', cause };
}

/** Tools for a download after its call has returned: its reader sees the same errors. */
function downloadTools(state: AttemptedCall, deadline: Deadline): DownloadTools {
  return {
    redact: state.redact,
    explain: (error) => {
      const end = endOf(state, deadline, error, 'maybe');
      return failureOf(end, classify(state, end), { ...state.context, outcome: 'unknown' }, state);
    },
  };
}

/** While it connects, ends an attempt that may no longer leave, if the transport knows that moment. */
function connectingInTime(
  { limits, parts: { clock } }: AttemptedCall,
  journal: Departure,
  deadline: Deadline,
): TransportRequest['connecting'] {
  if (journal.msToDepart() === Number.POSITIVE_INFINITY) return undefined;
  const timesOutAt = clock.monotonic() + limits.timeout;
  const leave = () => {
    if (deadline.reason !== undefined) return;
    // Check again, because the timer is late if the process was suspended.
    if (journal.msToDepart() <= 0) deadline.stop('too_late');
    else deadline.limit(timesOutAt - clock.monotonic());
  };
  return () => {
    const ms = journal.msToDepart();
    if (ms < timesOutAt - clock.monotonic()) deadline.limit(ms, 'too_late');
    return leave;
  };
}

function isReply(reply: unknown): reply is TransportReply {
  if (typeof reply !== 'object' || reply === null) return false;
  const { status, headers, body, discard }: Partial<Record<keyof TransportReply, unknown>> = reply;
  return typeof status === 'number' && isObject(headers) && isObject(body) && typeof discard === 'function';
}

/** Classifies one attempt. */
export function classify(of: ClassifiedCall, end: AttemptEnd): AttemptResult {
  switch (end.kind) {
    case 'network': {
      const proof = end.sent === 'maybe' ? IN_DOUBT_AGAIN : { ...NOT_SENT, retry: !isTlsFailure(end.cause) };
      const why = of.redact(`connection: ${describeCause(end.cause)}`);
      if (end.sent === 'maybe') return { ...proof, why };
      return { ...proof, why, connection: connectionFacts(of.call.origin, end.sent, end.cause) };
    }
    case 'body_unreadable':
      return { ...NOT_SENT, why: of.redact(`body: ${describeCause(end.cause)}`) };
    case 'injected':
      return { ...NOT_SENT, why: of.redact(end.problem) };
    case 'stopped': {
      const { kind } = end.stopped;
      return {
        ...(end.sent === 'no' ? NOT_SENT : IN_DOUBT),
        // Only an attempt that used up its own time may be followed by another.
        retry: kind === 'attempt_timeout',
        why: stopReasons[kind] ?? `no reply within ${limitOf(of.limits, kind)} ms`,
        stop: kind === 'aborted' || kind === 'closed' ? 'aborted' : 'deadline',
      };
    }
    case 'reply': {
      if (end.error !== undefined) return classifyError(of, end, end.error);
      const { status } = end.reply;
      const { cached, payload } = end;
      const base =
        cached === undefined
          ? { status, why: `HTTP ${status}` }
          : { status, why: of.redact(`HTTP ${status}, ${cached}`), cached: of.redact(cached) };
      if (payload === undefined) return { ...IN_DOUBT, ...base };
      const { effect } = of.call.route;
      if (effect === 'read') return { effect: 'done', ...base };
      const { value, requestId, replayed } = payload;
      return { effect: 'done', ...base, ...recordFacts(of, value, requestId, replayed) };
    }
  }
}

const stopReasons: Readonly<Partial<Record<StopKind, string>>> = {
  aborted: 'aborted',
  closed: 'the client was closed',
  too_late: 'the latest time to send it has passed',
};
