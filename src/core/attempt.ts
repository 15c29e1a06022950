import { patterns } from '../api/formats.js';
import type { Permit } from '../ports/quota.js';
import type { SignatureHeaders, Signer } from '../signing/signer.js';
import type { CallJournal, Settled } from './call-journal.js';
import { Deadline, Stopped, waitingFor } from './deadline.js';
import { safeCause } from './redact.js';
import { type AttemptEnd, type AttemptResult, classify } from './reply/classify.js';
import { failureOf } from './reply/failure.js';
import { type DownloadTools, isObject, type Replied, readReply } from './reply/reply.js';
import type { RequestBody } from './request/body.js';
import { type CallState, callFacts, failureContext, failureTools, redactorFor } from './state.js';
import { traceAttempt } from './telemetry.js';
import {
  discardQuietly,
  type Stop,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './transport/transport.js';

/** A signature older than this is not sent: a store that took so long may have delayed other steps too. */
const SIGNATURE_LASTS_MS = 60_000;

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Records an attempt that was announced to the journal and then not sent. */
type RecordUnsent = (state: CallState, journal: CallJournal, result: AttemptResult) => Promise<unknown>;

/**
 * One attempt: waits for the quota, signs, records, sends, reads once, and classifies the result. `Stopped` is thrown
 * only while the quota is waited for; what signing, the network and the service do is a result.
 */
export async function attempt(
  state: CallState,
  signer: Signer,
  record: RecordUnsent,
): Promise<AttemptResult | Settled> {
  const deadline = new Deadline(state.sources);
  let permit: Permit | undefined;
  try {
    if (state.journal !== undefined && state.journal.msToDepart() <= 0) throw new Stopped('too_late');
    if (deadline.isStopped) throw deadline.reason;
    permit = state.parts.quota.take(state.lane) ?? (await queued(state, deadline));
    state.attempts += 1;
    const { trace } = state;
    if (trace === undefined) return await sendSigned(state, signer, deadline, record);
    const work = () => sendSigned(state, signer, deadline, record);
    return await traceAttempt(trace, state.attempts, work);
  } catch (error) {
    // Whatever still waits under this signal, a place in the queue for example, is no longer wanted.
    deadline.stop(error);
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
  deadline.limit(state.journal?.msToDepart(), 'too_late');
  const permit = await waitingFor(
    'quota',
    deadline.race(quota.permit(state.lane, deadline.signal, state.turn)),
  );
  state.queuedMs += clock.monotonic() - from;
  return permit;
}

async function sendSigned(
  state: CallState,
  signer: Signer,
  deadline: Deadline,
  record: RecordUnsent,
): Promise<AttemptResult | Settled> {
  const { parts } = state;
  const { clock, serverClock } = parts;
  const signed =
    state.journal === undefined
      ? await sign(state, signer, deadline)
      : await signAndRecord(state, state.journal, signer, deadline, record);
  if (!('headers' in signed)) {
    deadline.end();
    return signed;
  }
  const sent = serverClock.reading();
  deadline.limit(state.limits.timeout);
  const end = await exchange(state, signed.headers, deadline);
  if (end.kind !== 'reply' || end.binary === undefined) deadline.end();
  const result = classified(state, end, clock.now());
  // A replay may repeat the time of the first reply.
  if (result.stated !== undefined && result.payload?.replayed !== true) {
    serverClock.observe(result.stated, sent, result.remedy === 'clock');
  }
  parts.log.debug('Attempt', () => ({
    ...callFacts(state),
    ...(result.status === undefined ? { end: end.kind } : { status: result.status }),
    effect: result.effect,
    reason: redactorFor(state)(result.reason),
    ms: Math.round(clock.monotonic() - sent.monotonic),
  }));
  return result;
}

function classified({ call, limits }: CallState, end: AttemptEnd, nowMs: number): AttemptResult {
  return classify(call.route, end, nowMs, limits);
}

function unsent(state: CallState, end: AttemptEnd): AttemptResult {
  return classified(state, end, state.parts.clock.now());
}

interface Signed {
  readonly timestamp: number;
  readonly nonce: string;
  readonly headers: SignatureHeaders;
}

/** Signs, and announces the attempt to the journal. A signature that grew old meanwhile is discarded with its attempt. */
async function signAndRecord(
  state: CallState,
  journal: CallJournal,
  signer: Signer,
  deadline: Deadline,
  record: RecordUnsent,
): Promise<Signed | AttemptResult | Settled> {
  const { clock } = state.parts;
  for (;;) {
    const signedAt = clock.monotonic();
    const signed = await sign(state, signer, deadline);
    if (!('headers' in signed)) return signed;
    deadline.limit(journal.msToDepart(), 'too_late');
    const { timestamp, nonce } = signed;
    const go = await caught(deadline.race(journal.departing({ timestamp, nonce, keyId: signer.keyId })));
    if (go instanceof Stopped) return unsent(state, notLeft(go));
    if (go.kind === 'settled') return go;
    if (journal.msToDepart() <= 0) return unsent(state, notLeft(new Stopped('too_late')));
    if (clock.monotonic() - signedAt < SIGNATURE_LASTS_MS) return signed;
    const old = unsent(state, notLeft(new Stopped('too_late')));
    await record(state, journal, { ...old, reason: 'its signature grew old while it was recorded' });
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
    const headers = signer.sign({
      method: call.route.method,
      path: call.signedPath,
      canonicalQuery: call.canonicalQuery,
      bodySha256: body?.sha256 ?? EMPTY_SHA256,
      timestamp,
      nonce,
    });
    if (headers instanceof Promise) return signedElsewhere(state, deadline, { timestamp, nonce }, headers);
    state.signatures.push(headers['X-Signature']);
    return { timestamp, nonce, headers };
  } catch (error) {
    return unsignable(state, option, SIGNING_FAILED, error);
  }
}

const SIGNING_FAILED = 'failed while an attempt was being signed';

/** Waits for what signs where the secret is kept, within the call's deadline. */
async function signedElsewhere(
  state: CallState,
  deadline: Deadline,
  stamp: Omit<Signed, 'headers'>,
  signing: Promise<SignatureHeaders>,
): Promise<Signed | AttemptResult> {
  deadline.limit();
  try {
    const headers = await deadline.race(signing);
    state.signatures.push(headers['X-Signature']);
    return { ...stamp, headers };
  } catch (error) {
    if (error instanceof Stopped) return unsent(state, notLeft(error, 'credentials'));
    return unsignable(state, 'credentials.sign', SIGNING_FAILED, error);
  }
}

function unsignable(state: CallState, option: string, problem: string, error?: unknown): AttemptResult {
  const cause = safeCause(error, redactorFor({ parts: state.parts, signatures: [] }));
  return unsent(state, { kind: 'injected', option, problem, ...(cause !== undefined && { cause }) });
}

/** Sends and reads once. Never throws for what the network or the service does. */
async function exchange(
  state: CallState,
  signature: SignatureHeaders,
  deadline: Deadline,
): Promise<AttemptEnd> {
  const { call, body } = state;
  // Checked before the first byte: a signal that fired while it waited must not let a request out.
  if (deadline.isStopped) return notLeft(stoppedBy(deadline));
  const opened = body === undefined ? undefined : watched(body);
  const { journal } = state;
  const connecting = journal === undefined ? undefined : connectingInTime(state, journal, deadline);
  const landed: { reply?: TransportReply } = {};
  const flight = sendAndRead(
    state,
    {
      origin: call.origin,
      path: call.wirePath,
      method: call.wireMethod,
      headers: headersOf(state, signature),
      body: opened?.bytes,
      bodyLength: body?.length ?? 0,
      streams: call.route.envelope === 'binary',
      get signal() {
        return deadline.signal;
      },
      stop: deadline,
      ...(connecting !== undefined && { connecting }),
    },
    deadline,
    landed,
  );
  try {
    return await deadline.race(flight);
  } catch (error) {
    if (landed.reply !== undefined) {
      discardQuietly(landed.reply);
      return endOf(state, deadline, error, 'maybe');
    }
    // A transport that obeys its signal is about to say whether anything had left.
    let failure: unknown;
    const settled = flight.catch((late: unknown) => {
      failure = late;
    });
    await Promise.race([settled, turnOfTheLoop()]);
    if (opened?.failure !== undefined) {
      return { kind: 'body_unreadable', cause: safeCause(opened.failure.cause, redactorFor(state)) };
    }
    return endOf(state, deadline, error, failure instanceof TransportFailure ? failure.sent : 'maybe');
  }
}

/** Sends a request and reads its reply. A transport that throws at once, or returns no promise, fails like any other. */
async function sendAndRead(
  state: CallState,
  request: TransportRequest,
  deadline: Deadline,
  landed: { reply?: TransportReply },
): Promise<Replied> {
  const { transport, maxReplyBytes } = state.parts;
  const reply: unknown = await transport.send(request);
  if (!isReply(reply)) throw new TypeError('The injected transport resolved to something that is no reply');
  landed.reply = reply;
  if (deadline.isStopped) {
    // Of a transport that ignores its signal: nobody waits for this reply any more.
    discardQuietly(reply);
    throw deadline.reason;
  }
  const { route } = state.call;
  const download = route.envelope === 'binary' ? downloadTools(state, deadline) : undefined;
  return readReply(route, reply, deadline, maxReplyBytes, download);
}

/** Why no reply was read. `sent` is what the transport said when it was stopped. */
function endOf(state: CallState, deadline: Deadline, error: unknown, sent: 'no' | 'maybe'): AttemptEnd {
  if (deadline.isStopped) return { kind: 'stopped', sent, stopped: stoppedBy(deadline) };
  const isKnown = error instanceof TransportFailure;
  const cause = safeCause(isKnown ? error.cause : error, redactorFor(state));
  return { kind: 'network', sent: isKnown ? error.sent : 'maybe', cause };
}

/** What a download takes that outlives the call: its reader sees the same errors. */
function downloadTools(state: CallState, deadline: Deadline): DownloadTools {
  return {
    redact: redactorFor(state),
    explain: (error) =>
      failureOf(
        classified(state, endOf(state, deadline, error, 'maybe'), state.parts.clock.now()),
        { ...failureContext(state), outcome: 'unknown' },
        failureTools(state),
      ),
  };
}

function headersOf({ call, body, parts }: CallState, signature: SignatureHeaders): Record<string, string> {
  const headers: Record<string, string> = {
    accept: call.route.envelope === 'binary' ? '*/*' : 'application/json',
    // A compressed reply could be a bomb, and nothing in the API is large enough to need compression.
    'accept-encoding': 'identity',
    'X-Client-ID': signature['X-Client-ID'],
    'X-Key-ID': signature['X-Key-ID'],
    'X-Timestamp': signature['X-Timestamp'],
    'X-Nonce': signature['X-Nonce'],
    'X-Content-SHA256': signature['X-Content-SHA256'],
    'X-Signature': signature['X-Signature'],
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
  return Object.assign(headers, parts.headers);
}

/** Keeps an attempt to the time until which it may leave while it connects, where the transport knows that moment. */
function connectingInTime(
  { parts: { clock }, limits }: CallState,
  journal: CallJournal,
  deadline: Deadline,
): TransportRequest['connecting'] {
  if (journal.msToDepart() === Number.POSITIVE_INFINITY) return undefined;
  const timesOutAt = clock.monotonic() + limits.timeout;
  const leave = () => {
    if (deadline.isStopped) return;
    // Asked again, because the timer is late where the process was suspended.
    if (journal.msToDepart() <= 0) deadline.stop(new Stopped('too_late'));
    else deadline.limit(timesOutAt - clock.monotonic());
  };
  return () => {
    const ms = journal.msToDepart();
    if (ms < timesOutAt - clock.monotonic()) deadline.limit(ms, 'too_late');
    return leave;
  };
}

interface Watched {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  failure?: { readonly cause: unknown };
}

/** Keeps why a body could not be read: a transport may report it in any way. */
function watched(body: RequestBody): Watched {
  const bytes = body.open();
  if (bytes instanceof Uint8Array) return { bytes };
  const watch: Watched = {
    bytes: keepingFailure(bytes, (cause) => Object.assign(watch, { failure: { cause } })),
  };
  return watch;
}

async function* keepingFailure(
  source: AsyncIterable<Uint8Array>,
  keep: (cause: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    keep(error);
    throw error;
  }
}

function isReply(reply: unknown): reply is TransportReply {
  if (typeof reply !== 'object' || reply === null) return false;
  const { status, headers, body, discard }: Partial<Record<keyof TransportReply, unknown>> = reply;
  return typeof status === 'number' && isObject(headers) && isObject(body) && typeof discard === 'function';
}

function notLeft(
  { kind, reason }: Stopped,
  during: Stopped['during'] = 'journal',
): Extract<AttemptEnd, { kind: 'stopped' }> {
  return { kind: 'stopped', sent: 'no', stopped: new Stopped(kind, reason, during) };
}

function stoppedBy({ reason }: Stop): Stopped {
  return reason instanceof Stopped ? reason : new Stopped('aborted', reason);
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

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
