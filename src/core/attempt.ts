import { patterns } from '../api/formats.js';
import type { Permit } from '../ports/quota.js';
import type { SignatureHeaders, Signer } from '../signing/signer.js';
import type { Settled } from './call-journal.js';
import { Deadline, Stopped, waitingFor } from './deadline.js';
import { safeCause } from './redact.js';
import { type AttemptEnd, type AttemptResult, classify } from './reply/classify.js';
import { failureOf } from './reply/failure.js';
import { isObject, readReply } from './reply/reply.js';
import type { RequestBody } from './request/body.js';
import { type CallState, callFacts, failureContext, failureTools, limitOf, redactorFor } from './state.js';
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

/** Records an attempt that was announced to the journal and then not sent. */
type RecordUnsent = (result: AttemptResult) => Promise<unknown>;

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
    permit = admitted(state, deadline) ?? (await queued(state, deadline));
    state.attempts += 1;
    return await traceAttempt(
      state.trace,
      state.attempts,
      () => sendSigned(state, signer, deadline, record),
      (result) =>
        'kind' in result
          ? {}
          : { ...(result.status !== undefined && { status: result.status }), effect: result.effect },
    );
  } catch (error) {
    // Whatever still waits under this signal, a place in the queue for example, is no longer wanted.
    deadline.stop(error);
    deadline.end();
    throw error;
  } finally {
    permit?.ended();
  }
}

/** Takes a place in the quota, if one is free. */
function admitted({ parts, journal, lane }: CallState, deadline: Deadline): Permit | undefined {
  if ((journal?.msToDepart() ?? Number.POSITIVE_INFINITY) <= 0) throw new Stopped('too_late');
  if (deadline.signal.aborted) throw deadline.signal.reason;
  return parts.quota.take(lane);
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
  const signed = await sign(state, signer, deadline, record);
  if (!('X-Signature' in signed)) {
    deadline.end();
    return signed;
  }
  const { clock, serverClock } = parts;
  const sent = serverClock.reading();
  deadline.limit(state.limits.timeout);
  const end = await exchange(state, signed, deadline);
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
  return classify(call.route, end, { nowMs, limitOf: (kind) => limitOf(limits, kind) });
}

/** Signs, and announces the attempt to the journal. A signature that grew old meanwhile is discarded with its attempt. */
async function sign(
  state: CallState,
  signer: Signer,
  deadline: Deadline,
  record: RecordUnsent,
): Promise<AttemptResult | Settled | SignatureHeaders> {
  const { parts, journal } = state;
  const { clock } = parts;
  const unsent = (end: AttemptEnd) => classified(state, end, clock.now());
  for (;;) {
    const signedAt = clock.monotonic();
    const signed = await stampAndSign(state, signer, deadline);
    if ('kind' in signed) return unsent(signed);
    state.signatures.push(signed.headers['X-Signature']);
    if (journal === undefined) return signed.headers;
    deadline.limit(journal.msToDepart(), 'too_late');
    const { timestamp, nonce, headers } = signed;
    const go = await caught(deadline.race(journal.departing({ timestamp, nonce, keyId: signer.keyId })));
    if (go instanceof Stopped) return unsent(notLeft(go));
    if (go.kind === 'settled') return go;
    if (journal.msToDepart() <= 0) return unsent(notLeft(new Stopped('too_late')));
    if (clock.monotonic() - signedAt < SIGNATURE_LASTS_MS) return headers;
    const old = unsent(notLeft(new Stopped('too_late')));
    await record({ ...old, reason: 'its signature grew old while it was recorded' });
  }
}

interface Signed {
  readonly timestamp: number;
  readonly nonce: string;
  readonly headers: SignatureHeaders;
}

/** Stamps an attempt with server time and a fresh nonce, and signs it. What is injected may fail. */
async function stampAndSign(
  { call, body, parts }: CallState,
  signer: Signer,
  deadline: Deadline,
): Promise<Signed | Extract<AttemptEnd, { kind: 'injected' | 'stopped' }>> {
  const { serverClock, randomness } = parts;
  let option = 'clock or randomness';
  try {
    const timestamp = Math.floor(serverClock.now() / 1000);
    const nonce = randomness.nonce();
    if (!patterns.nonce.test(nonce)) {
      return failed('randomness.nonce', 'must return 16 to 128 letters, digits, "_" or "-"');
    }
    if (!Number.isSafeInteger(timestamp)) return failed('clock.now', 'must return Unix milliseconds');
    option = 'credentials.sign';
    const headers = signer.sign({
      method: call.route.method,
      path: call.signedPath,
      canonicalQuery: call.canonicalQuery,
      bodySha256: body?.sha256 ?? EMPTY_SHA256,
      timestamp,
      nonce,
    });
    if (!(headers instanceof Promise)) return { timestamp, nonce, headers };
    deadline.limit();
    return { timestamp, nonce, headers: await deadline.race(headers) };
  } catch (error) {
    if (error instanceof Stopped) return notLeft(error, 'credentials');
    return failed(option, 'failed while an attempt was being signed', error);
  }

  function failed(name: string, problem: string, cause?: unknown): Extract<AttemptEnd, { kind: 'injected' }> {
    const shown = safeCause(cause, redactorFor({ parts, signatures: [] }));
    return { kind: 'injected', option: name, problem, ...(shown !== undefined && { cause: shown }) };
  }
}

/** Sends and reads once. Never throws for what the network or the service does. */
async function exchange(
  state: CallState,
  signature: SignatureHeaders,
  deadline: Deadline,
): Promise<AttemptEnd> {
  const { call, parts, body } = state;
  const { signal } = deadline;
  // Checked before the first byte: a signal that fired while it waited must not let a request out.
  if (signal.aborted) return notLeft(stoppedBy(signal));
  const opened = body === undefined ? undefined : watched(body);
  const sending = sendBy(state, {
    origin: call.origin,
    path: call.wirePath,
    method: call.wireMethod,
    headers: headersOf(state, signature),
    body: opened?.bytes,
    bodyLength: body?.length ?? 0,
    streams: call.route.envelope === 'binary',
    signal,
    ...connectingInTime(state, deadline),
  });
  let failure: unknown;
  sending.catch((error: unknown) => {
    failure = error;
  });
  const endOf = (error: unknown, sent: 'no' | 'maybe' = 'maybe'): AttemptEnd => {
    if (signal.aborted) return { kind: 'stopped', sent, stopped: stoppedBy(signal) };
    const isKnown = error instanceof TransportFailure;
    const cause = safeCause(isKnown ? error.cause : error, redactorFor(state));
    return { kind: 'network', sent: isKnown ? error.sent : 'maybe', cause };
  };
  let reply: TransportReply;
  try {
    reply = await deadline.race(sending);
  } catch (error) {
    // A transport that ignores the signal may still answer: its reply is discarded.
    sending.then(discardQuietly).catch(() => undefined);
    // One that obeys it is about to say whether anything had left.
    await Promise.race([sending.catch(() => undefined), turnOfTheLoop()]);
    if (opened?.failure !== undefined) {
      return { kind: 'body_unreadable', cause: safeCause(opened.failure.cause, redactorFor(state)) };
    }
    return endOf(error, failure instanceof TransportFailure ? failure.sent : 'maybe');
  }
  try {
    return await readReply(call.route, reply, deadline, {
      maxBytes: parts.maxReplyBytes,
      redact: (text) => redactorFor(state)(text),
      explain: (error) =>
        failureOf(
          classified(state, endOf(error), parts.clock.now()),
          { ...failureContext(state), outcome: 'unknown' },
          failureTools(state),
        ),
    });
  } catch (error) {
    discardQuietly(reply);
    return endOf(error);
  }
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
  { journal, parts: { clock }, limits }: CallState,
  deadline: Deadline,
): Pick<TransportRequest, 'connecting'> {
  if (journal === undefined || journal.msToDepart() === Number.POSITIVE_INFINITY) return {};
  const timesOutAt = clock.monotonic() + limits.timeout;
  const leave = () => {
    if (deadline.signal.aborted) return;
    // Asked again, because the timer is late where the process was suspended.
    if (journal.msToDepart() <= 0) deadline.stop(new Stopped('too_late'));
    else deadline.limit(timesOutAt - clock.monotonic());
  };
  return {
    connecting: () => {
      const ms = journal.msToDepart();
      if (ms < timesOutAt - clock.monotonic()) deadline.limit(ms, 'too_late');
      return leave;
    },
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

/** A transport that throws synchronously, or returns no promise, fails like any other. */
async function sendBy({ parts }: CallState, request: TransportRequest): Promise<TransportReply> {
  const reply: unknown = await parts.transport.send(request);
  if (isReply(reply)) return reply;
  throw new TypeError('The injected transport resolved to something that is no reply');
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

function stoppedBy({ reason }: AbortSignal): Stopped {
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
