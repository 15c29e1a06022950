import { isObject } from '../api/check.js';
import { patterns } from '../api/formats.js';
import type { Envelope } from '../api/operation.js';
import type { Outcome } from '../errors/base.js';
import type { ClockReading } from '../ports/clock.js';
import type { Permit } from '../ports/quota.js';
import { Deadline, Stopped } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import type { AttemptReport, CallJournal, Settled } from './call-journal.js';
import { redactorOf, redactRecord, safeCause } from './redact.js';
import { type AttemptEnd, type AttemptResult, classify } from './reply/classify.js';
import { failureOf } from './reply/failure.js';
import { type DownloadTools, type Replied, readReply } from './reply/reply.js';
import type { CallState } from './state.js';
import { traceAttempt } from './telemetry.js';
import {
  discardQuietly,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './transport/transport.js';

/** A signature older than this is not sent: a store that took so long may have delayed other steps too. */
const SIGNATURE_LASTS_MS = 60_000;

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * One attempt: waits for the quota, signs, records, sends, reads once, and classifies the result. `Stopped` is thrown
 * only while the quota is waited for; what signing, the network and the service do is a result.
 */
export async function attempt(state: CallState, signer: Signer): Promise<AttemptResult | Settled> {
  const { parts, journal, trace } = state;
  const deadline = new Deadline(state.sources);
  let permit: Permit | undefined;
  try {
    if (journal !== undefined && journal.msToDepart() <= 0) throw new Stopped('too_late');
    if (deadline.reason !== undefined) throw deadline.reason;
    permit = parts.quota.take(state.lane) ?? (await queued(state, deadline));
    state.attempts += 1;
    if (trace === undefined) return await sendSigned(state, signer, deadline);
    return await traceAttempt(trace, state.attempts, () => sendSigned(state, signer, deadline));
  } catch (error) {
    // Whatever still waits under this signal, a place in the queue for example, is no longer wanted.
    deadline.stop('aborted', error);
    deadline.end();
    throw error;
  } finally {
    permit?.ended();
  }
}

/** Waits for the quota. Signing comes after it: a signature that had to queue could be too old. */
async function queued(state: CallState, deadline: Deadline): Promise<Permit> {
  const { clock, quota } = state.parts;
  const from = clock.monotonic();
  deadline.during = 'quota';
  deadline.limit(state.journal?.msToDepart(), 'too_late');
  const permit = await deadline.race(quota.permit(state.lane, deadline.signal, state.turn));
  deadline.during = undefined;
  state.queuedMs += clock.monotonic() - from;
  return permit;
}

async function sendSigned(
  state: CallState,
  signer: Signer,
  deadline: Deadline,
): Promise<AttemptResult | Settled> {
  const { parts, journal } = state;
  const signed =
    journal === undefined
      ? await sign(state, signer, deadline)
      : await signAndRecord(state, journal, signer, deadline);
  if (!('signature' in signed)) {
    deadline.end();
    return signed;
  }
  const sent = parts.serverClock.reading();
  deadline.during = undefined;
  deadline.limit(state.limits.timeout);
  const end = await exchange(state, signer, signed, deadline);
  if (end.kind !== 'reply' || end.binary === undefined) deadline.end();
  const result = measured(state, classify(state, end), sent);
  parts.log.debug('Attempt', () => ({
    ...state.facts,
    ...(result.status === undefined ? { end: end.kind } : { status: result.status }),
    effect: result.effect,
    reason: state.redact(result.reason),
    ms: Math.round(parts.clock.monotonic() - sent.monotonic),
  }));
  return result;
}

/** Measures server time with a reply. One that a cache may have answered is set aside, and the first is logged. */
function measured(state: CallState, result: AttemptResult, sent: ClockReading): AttemptResult {
  const { serverClock, log, cachedReplies } = state.parts;
  const cached = result.cached ?? behind();
  if (cached === undefined) return result;
  cachedReplies.count += 1;
  if (cachedReplies.count === 1) {
    log.warn(
      'A cache between this client and the service answered; its replies do not set the clock',
      () => ({
        ...state.facts,
        cached: state.redact(cached),
      }),
    );
  }
  return { ...result, cached };

  function behind(): string | undefined {
    // A replay may repeat the time of the first reply.
    if (result.stated === undefined || result.payload?.replayed === true) return undefined;
    const how = { urgent: result.remedy === 'clock', cacheable: state.call.wireMethod === 'GET' };
    const behindMs = serverClock.observe(result.stated, sent, how);
    return behindMs === 0 ? undefined : `its time is ${Math.round(behindMs / 1_000)} s behind`;
  }
}

/** An attempt that was stopped before a byte of it left. */
function unsent(state: CallState, stopped: Stopped): AttemptResult {
  return classify(state, { kind: 'stopped', sent: 'no', stopped });
}

interface Signed {
  readonly timestamp: number;
  readonly nonce: string;
  readonly signature: string;
}

/** Signs, and announces the attempt to the journal. A signature that grew old meanwhile is discarded with its attempt. */
async function signAndRecord(
  state: CallState,
  journal: CallJournal,
  signer: Signer,
  deadline: Deadline,
): Promise<Signed | AttemptResult | Settled> {
  const { clock } = state.parts;
  for (;;) {
    const signedAt = clock.monotonic();
    const signed = await sign(state, signer, deadline);
    if (!('signature' in signed)) return signed;
    deadline.during = 'journal';
    deadline.limit(journal.msToDepart(), 'too_late');
    const { timestamp, nonce } = signed;
    const go = await caught(deadline.race(journal.departing({ timestamp, nonce, keyId: signer.keyId })));
    if (go instanceof Stopped) return unsent(state, go);
    if (go.kind === 'settled') return go;
    // Made only where it is used: an error costs more than a signature.
    const late = () => unsent(state, new Stopped('too_late', undefined, 'journal'));
    if (journal.msToDepart() <= 0) return late();
    if (clock.monotonic() - signedAt < SIGNATURE_LASTS_MS) return signed;
    const old = { ...late(), reason: 'its signature grew old while it was recorded' };
    await recorded(state, journal, old);
  }
}

/** Stamps an attempt with server time and a fresh nonce, and signs it. What is injected may fail. */
function sign(
  state: CallState,
  signer: Signer,
  deadline: Deadline,
): Signed | AttemptResult | Promise<Signed | AttemptResult> {
  const { call, body, parts } = state;
  const { serverClock, randomness } = parts;
  let option = 'clock or randomness';
  try {
    const timestamp = Math.floor(serverClock.now() / 1000);
    const nonce = randomness.nonce();
    if (!patterns.nonce.test(nonce)) {
      return unsignable(state, 'randomness.nonce', 'must return 16 to 128 letters, digits, "_" or "-"');
    }
    if (!Number.isSafeInteger(timestamp)) {
      return unsignable(state, 'clock.now', 'must return Unix milliseconds');
    }
    option = 'credentials.sign';
    const stamp = { timestamp, nonce };
    const signature = signer.sign({
      method: call.route.method,
      path: call.signedPath,
      canonicalQuery: call.canonicalQuery,
      bodySha256: body?.sha256 ?? EMPTY_SHA256,
      ...stamp,
    });
    if (signature instanceof Promise) return signedElsewhere(state, deadline, stamp, signature);
    state.signatures.push(signature);
    return { ...stamp, signature };
  } catch (error) {
    return unsignable(state, option, SIGNING_FAILED, error);
  }
}

const SIGNING_FAILED = 'failed while an attempt was being signed';

/** Waits for what signs where the secret is kept, within the call's deadline. */
async function signedElsewhere(
  state: CallState,
  deadline: Deadline,
  stamp: Omit<Signed, 'signature'>,
  signing: Promise<string>,
): Promise<Signed | AttemptResult> {
  deadline.during = 'credentials';
  deadline.limit();
  try {
    const signature = await deadline.race(signing);
    state.signatures.push(signature);
    return { ...stamp, signature };
  } catch (error) {
    if (error instanceof Stopped) return unsent(state, error);
    return unsignable(state, 'credentials.sign', SIGNING_FAILED, error);
  }
}

function unsignable(state: CallState, option: string, problem: string, error?: unknown): AttemptResult {
  const cause = safeCause(error, redactorOf(state.parts.keys.secrets));
  return classify(state, { kind: 'injected', option, problem, ...(cause !== undefined && { cause }) });
}

/** Sends and reads once. Never throws for what the network or the service does. */
async function exchange(
  state: CallState,
  signer: Signer,
  signed: Signed,
  deadline: Deadline,
): Promise<AttemptEnd> {
  // Checked before the first byte: a signal that fired while it waited must not let a request out.
  if (deadline.reason !== undefined) return { kind: 'stopped', sent: 'no', stopped: deadline.reason };
  const seen: Seen = {};
  const flight = sendAndRead(state, signer, signed, deadline, seen);
  try {
    return await deadline.race(flight);
  } catch (error) {
    if (seen.reply !== undefined) {
      discardQuietly(seen.reply);
      return endOf(state, deadline, error, 'maybe');
    }
    // A transport that obeys its signal is about to say whether anything had left.
    let failure: unknown;
    const settled = flight.catch((late: unknown) => {
      failure = late;
    });
    await Promise.race([settled, new Promise((resolve) => setImmediate(resolve))]);
    if (seen.unreadable !== undefined) {
      return { kind: 'body_unreadable', cause: safeCause(seen.unreadable.cause, state.redact) };
    }
    return endOf(state, deadline, error, failure instanceof TransportFailure ? failure.sent : 'maybe');
  }
}

/** How far an exchange has come. */
interface Seen {
  reply?: TransportReply;
  /** Why the body could not be read: a transport may report it in any way. */
  unreadable?: { readonly cause: unknown };
}

/** Sends a request and reads its reply. A transport that throws at once, or returns no promise, fails like any other. */
async function sendAndRead(
  state: CallState,
  { clientId, keyId }: Signer,
  { timestamp, nonce, signature }: Signed,
  deadline: Deadline,
  seen: Seen,
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
    // Of a transport that ignores its signal: nobody waits for this reply any more.
    discardQuietly(reply);
    throw deadline.reason;
  }
  const download = isDownload ? downloadTools(state, deadline) : undefined;
  return readReply(call.route, reply, deadline, parts.maxReplyBytes, download);
}

/** Why no reply was read. `sent` is what the transport said when it was stopped. */
function endOf(state: CallState, deadline: Deadline, error: unknown, sent: 'no' | 'maybe'): AttemptEnd {
  if (deadline.reason !== undefined) return { kind: 'stopped', sent, stopped: deadline.reason };
  const isKnown = error instanceof TransportFailure;
  const cause = safeCause(isKnown ? error.cause : error, state.redact);
  return { kind: 'network', sent: isKnown ? error.sent : 'maybe', cause };
}

/** What a download takes that outlives the call: its reader sees the same errors. */
function downloadTools(state: CallState, deadline: Deadline): DownloadTools {
  return {
    redact: state.redact,
    explain: (error) =>
      failureOf(
        classify(state, endOf(state, deadline, error, 'maybe')),
        { ...state.context, outcome: 'unknown' },
        state,
      ),
  };
}

/** Keeps an attempt to the time until which it may leave while it connects, where the transport knows that moment. */
function connectingInTime(
  { limits, parts: { clock } }: CallState,
  journal: CallJournal,
  deadline: Deadline,
): TransportRequest['connecting'] {
  if (journal.msToDepart() === Number.POSITIVE_INFINITY) return undefined;
  const timesOutAt = clock.monotonic() + limits.timeout;
  const leave = () => {
    if (deadline.reason !== undefined) return;
    // Asked again, because the timer is late where the process was suspended.
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

/** An early stop, as a value. */
async function caught<T>(work: Promise<T>): Promise<T | Stopped> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Stopped) return error;
    throw error;
  }
}

/** How long a call waits for a store that does not answer when there is something to record, ms. */
const RECORDING_MS = 5_000;

/** What is known of the effect after this attempt, once that is on record. */
export async function recorded(
  state: CallState,
  journal: CallJournal,
  result: AttemptResult,
): Promise<Outcome | 'done'> {
  state.outcome = 'unknown';
  const written = journal.arrived(reportOf(state, result));
  // A store that hangs must not hold a call past its abort or deadline: what is not recorded by then is unknown.
  let cancel: () => void = () => undefined;
  const limit = new Promise<'unknown'>((resolve) => {
    cancel = state.parts.clock.after(RECORDING_MS, () => resolve('unknown'));
  });
  written.catch(() => undefined);
  return Promise.race([written, limit]).finally(cancel);
}

/** Replies in these envelopes are undocumented and may hold a secret: that of a new webhook subscription, or a token. */
const unrecorded: readonly Envelope[] = ['raw', 'whole'];

/** What a journal is told of an attempt. */
function reportOf({ call, redact }: CallState, result: AttemptResult): AttemptReport {
  const { effect, end, reason, status, error, payload, rejection } = result;
  const requestId = payload?.requestId ?? error?.requestId;
  const record = unrecorded.includes(call.route.envelope)
    ? undefined
    : redactRecord(payload?.value ?? rejection, redact);
  return {
    effect,
    uncoded: result.uncoded === true,
    keyConflict: result.keyConflict === true,
    bare409: result.bare409 === true,
    why: redact(reason),
    codes: (error?.codes ?? []).map(redact),
    replayed: payload?.replayed ?? rejection?.replayed === true,
    ...(end.kind === 'stopped' && { stop: end.stopped.kind === 'aborted' ? 'aborted' : 'deadline' }),
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId: redact(requestId) }),
    ...(record !== undefined && { record }),
  };
}
