import { callerOver, type Pipeline } from '../core/call.js';
import { contextOf } from '../core/caller.js';
import { safeCause } from '../core/redact.js';
import { injectedFailure, stopFailure } from '../core/reply/failure.js';
import type { PreparedCall } from '../core/request/prepare.js';
import { retryWait } from '../core/resend.js';
import { outcomeReporter } from '../core/telemetry.js';
import { ApiError } from '../errors/api.js';
import { type CallContext, VehicleAuctionError, withoutNextStep } from '../errors/base.js';
import {
  AbortedError,
  ConnectionError,
  TimeoutError,
  UnexpectedResponseError,
} from '../errors/connection.js';
import { ConfigurationError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { bids } from '../generated/bids.js';
import { integration, type Profile } from '../generated/integration.js';
import type { BaseOptions, Call, MutationOptions } from '../ports/caller.js';
import { pause, Stopped, type StopSources } from '../runtime/timers.js';
import { inDoubt, recordedRejection, recordedResult } from './answers.js';
import type { Intent } from './ledger.js';
import { RecordedCall } from './recorded-call.js';
import type { Recording } from './recording.js';
import { refuseOtherKey } from './runs.js';

/** Returns a `Call` that records every write before it is sent. */
export function recordedCaller(pipeline: Pipeline, recording: Recording, deadlineMs: number): Call {
  const write = async (call: PreparedCall, options: MutationOptions | undefined) => {
    const { route } = call;
    const key = call.idempotencyKey;
    if (key === undefined) throw new Error(`${route.id} has no idempotency key`);
    // Copies the options, so that later changes by the caller have no effect.
    const written = { call, key, options: { ...options }, deadlineMs, hasBegun: false };
    const begun = { call: route.name, operation: route.id, idempotencyKey: key };
    const report = outcomeReporter(recording, begun);
    try {
      const context = { ...contextOf(route), idempotencyKey: key };
      const value = await counted(recording, context, () => recordedWrite(pipeline, recording, written));
      report({ outcome: route.effect === 'bid' ? 'accepted' : 'done' });
      return value;
    } catch (error) {
      if (error instanceof VehicleAuctionError) {
        report(error);
        throw error;
      }
      // If a custom clock throws, still report that the request may have been sent.
      const outcome = written.hasBegun ? 'unknown' : 'not_sent';
      const failed = { ...contextOf(route), idempotencyKey: key, outcome, mutates: true } as const;
      const failure = injectedFailure(
        failed,
        'clock',
        'failed during a call',
        safeCause(error, recording.redact),
      );
      report(failure);
      throw failure;
    }
  };
  // A profile that was read saves the first write that read.
  return callerOver(pipeline, write, {
    route: integration.profile,
    seen: (payload) => recording.world.learn(profileOf(payload)),
  });
}

/** The payload of A01, which was checked against the schema of a profile. */
function profileOf(value: unknown): Profile {
  return value as Profile;
}

interface Write {
  readonly call: PreparedCall;
  readonly key: string;
  readonly options: MutationOptions;
  readonly deadlineMs: number;
  /** Set once something may be sent. */
  hasBegun: boolean;
}

async function recordedWrite(pipeline: Pipeline, recording: Recording, write: Write): Promise<unknown> {
  const { call, key, options, deadlineMs } = write;
  const { clock, ledger, locks } = recording;
  const context = { ...contextOf(call.route), idempotencyKey: key };
  refuseWithoutStore(recording, context);
  const limitMs = options.deadline ?? deadlineMs;
  const deadlineAt = clock.monotonic() + limitMs;
  const sources = { clock, signal: options.signal, deadlineAt, closing: recording.closing() };
  let waitsForKey = true;
  try {
    return await locks.alone(key, sources, async () => {
      waitsForKey = false;
      const left = () => ({ ...options, deadline: Math.max(1, deadlineAt - clock.monotonic()) });
      await ensureServerTime(pipeline, recording, sources, left(), context);
      const bid = call.route === bids.submit ? recording.submittedBid?.(call) : undefined;
      const work = new RecordedCall(recording, { call, key, context, bid, resend: 'by_caller' });
      write.hasBegun = true;
      try {
        const ended = await work.run(pipeline, left());
        if ('value' in ended) return ended.value;
        const { idempotencyKey: _, ...limits } = left();
        return await endOf(recording, work.intent, { error: ended.failure, context, options: limits });
      } finally {
        ledger.prune();
      }
    });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    throw stopError(error, context, limitMs, waitsForKey);
  }
}

/** An early stop before this call sent anything; another one under its key may have. */
function stopError(
  { kind, reason }: Stopped,
  context: CallContext,
  limitMs: number,
  waitsForKey = false,
): Error {
  return stopFailure(
    { ...context, attempts: 0, outcome: waitsForKey ? 'unknown' : 'not_sent', mutates: true },
    { kind, reason, during: waitsForKey ? 'key' : undefined },
    limitMs,
  );
}

/** The result of a failed call: its record may know more than its own attempts. */
async function endOf(
  { settleClaim }: Recording,
  intent: Intent | undefined,
  failed: { readonly error: unknown; readonly context: CallContext; readonly options: BaseOptions },
): Promise<unknown> {
  const { error, context, options } = failed;
  if (intent === undefined) throw error;
  const isClaimed = intent.status.state === 'sent' && intent.status.claim !== undefined;
  const read = isClaimed ? settleClaim?.(intent, options) : undefined;
  const after =
    (await read?.catch((trouble: unknown) => {
      // It was sent, even if nothing more can be recorded.
      throw trouble instanceof StoreError ? trouble.within({ ...context, outcome: 'unknown' }) : trouble;
    })) ?? intent;
  const { state } = after.status;
  // Another process may have brought it to its end while this call failed.
  const recorded = state === 'done' || state === 'accepted' ? recordedResult(after) : undefined;
  if (recorded !== undefined) return recorded.value;
  if (isClaimed && state === 'rejected') throw recordedRejection(after, context);
  if (isClaimed && state === 'stuck') throw inDoubt(after, context);
  throw error;
}

/** Makes a call. A key of `runOnce` is valid for one, and its function makes no other. @throws NotSentError */
export async function counted<T>(
  { reservations }: Recording,
  context: CallContext & { readonly call: string; readonly idempotencyKey: string },
  call: () => Promise<T>,
): Promise<T> {
  refuseOtherKey(reservations, context);
  const reservation = reservations.get(context.idempotencyKey);
  if (reservation === undefined) return call();
  reservation.calls += 1;
  if (reservation.calls === 1) {
    const made = call();
    reservation.call = made;
    return made;
  }
  throw new NotSentError('no_call', {
    ...context,
    what: 'The function of runOnce made a second call under the key it was given; this one was not sent.',
    nextStep: 'Make exactly one call under the key, and use a separate runOnce for the other.',
  });
}

/** @throws ConfigurationError if a production client has no store */
export function refuseWithoutStore({ refusal }: Recording, context: CallContext): void {
  if (refusal !== undefined) throw new ConfigurationError('store', refusal, context);
}

/** Limits of the call that reads server time. */
interface TimeOptions extends BaseOptions {
  /** Retries with backoff until the deadline, for a bid. */
  readonly isPatient?: boolean | undefined;
}

/** If server time is known, the profile is requested once, with this timeout, ms, because a bid waits for it. */
const PROFILE_MS = 5_000;

/** After this number of cached replies, A01 is not read again for one write: the cache is there to stay. */
const CACHED_PROFILES = 3;

/** After so many ms a reply of the service states another time, and a copy the same, ms. */
const COPY_MS = 1_000;

/**
 * Ensures that server time is known: keys, deadlines and absences are judged by it, so nothing is recorded or signed
 * before. Any reply that states it will do; if there was none, A01 is read. A `Date` header alone, which a proxy may have
 * written, counts only after that.
 *
 * Before the first write A01 is read in any case: it says whether this is the service that the client is set up for.
 *
 * @param forWrites false if nothing is going to be sent
 * @throws ConfigurationError if the service contradicts a setting of the client, and something is to be sent
 * @throws NotSentError
 * @throws Stopped
 */
export async function ensureServerTime(
  pipeline: Pipeline,
  recording: Recording,
  sources: StopSources,
  options: TimeOptions,
  context: CallContext,
  forWrites = true,
): Promise<void> {
  const { ledger, locks, world } = recording;
  const { isPatient = false, ...limits } = options;
  const isKnown = () => ledger.knowsTime() && !(forWrites && world.isDue);
  let cause: unknown;
  if (!isKnown()) {
    // Calls that begin together share one read.
    await locks.alone('server time', sources, async () => {
      let copies = 0;
      for (let failures = 0; !isKnown(); ) {
        // Part of the time may have passed while another call read it.
        const left = Math.max(1, sources.deadlineAt - sources.clock.monotonic());
        const deadline = Math.min(limits.deadline ?? left, left);
        const { failure, isCached } = await readProfile(pipeline, recording, { ...limits, deadline });
        if (failure === undefined && !isCached) return;
        // The failure before the deadline says more than the deadline.
        if (cause === undefined || !(isCached || isDeadline(failure))) cause = failure;
        failures += 1;
        if (isCached) copies += 1;
        const isWorthIt = isCached ? copies < CACHED_PROFILES : isPassing(cause);
        if (!(isPatient || isCached) || ledger.noteTime() || !isWorthIt) return;
        const stillLeft = sources.deadlineAt - sources.clock.monotonic();
        const retryAfter = isCached ? COPY_MS : retryAfterIn(cause);
        const waitMs = retryWait({ retryAfter }, failures, 1, stillLeft) ?? 0;
        if (waitMs >= stillLeft) return;
        await pause(sources, waitMs);
      }
    });
  }
  if (!ledger.noteTime()) throw withoutTime(cause, context);
  if (forWrites) world.check(context);
}

/** Result of reading A01. */
interface ProfileRead {
  /** Why it could not be read; an error reply states the time, too. */
  readonly failure: unknown;
  /** True if a cache answered: neither settings nor time are then known. */
  readonly isCached: boolean;
}

/** Reads A01 and evaluates the reply. */
async function readProfile(
  pipeline: Pipeline,
  { ledger, world, log }: Recording,
  { signal, timeout, deadline, maxAttempts }: BaseOptions,
): Promise<ProfileRead> {
  const tries = ledger.knowsTime()
    ? { maxAttempts: 1, timeout: Math.min(timeout ?? PROFILE_MS, PROFILE_MS) }
    : { maxAttempts, timeout };
  const limits = { signal, deadline, ...tries, lane: 'bid' } as const;
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  let missing: string | undefined;
  let failure: unknown;
  try {
    const profile = profileOf(await pipeline.run(pipeline.prepare(integration.profile, {}, given), given));
    ledger.noteAsked();
    missing = world.learn(profile);
  } catch (error) {
    failure = error;
    if (error instanceof AbortedError) return { failure, isCached: false };
    missing = error instanceof VehicleAuctionError ? error.message : 'it failed';
  }
  const isCached = missing !== undefined && failure === undefined;
  if (missing === undefined) return { failure, isCached };
  world.missed();
  if (ledger.noteTime()) log.warn(UNCONFIRMED, () => ({ reason: missing }));
  return { failure, isCached };
}

const UNCONFIRMED =
  'The settings of the client are not confirmed, because A01 could not be read; it will be asked again';

/** The error of a write before which no reply stated the time. */
function withoutTime(cause: unknown, context: CallContext): Error | Stopped {
  if (cause instanceof ConfigurationError) {
    const { option, problem, nextStep } = cause;
    return new ConfigurationError(option, problem, { ...context, nextStep, cause: cause.cause });
  }
  if (cause instanceof AbortedError) {
    return new Stopped(cause.reason === 'closed' ? 'closed' : 'aborted', cause.cause);
  }
  if (isDeadline(cause)) return new Stopped('deadline');
  if (cause instanceof VehicleAuctionError) {
    const { nextStep } = cause;
    const what = `Server time is not known: ${withoutNextStep(cause)} Nothing was sent.`;
    return new NotSentError('no_server_time', { ...context, what, nextStep, cause });
  }
  return new NotSentError('no_server_time', {
    ...context,
    what: 'Server time is not known, because no reply of the service has stated it yet (A01 was tried). Nothing was sent.',
    nextStep:
      'Check the connection, the credentials, and that the clock of this machine is less than a day off; then call again.',
    cause,
  });
}

function isDeadline(error: unknown): boolean {
  return error instanceof TimeoutError && error.reason === 'deadline';
}

/** Whether a read that failed may succeed a moment later. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.reason !== 'tls' && error.reason !== 'body_unreadable';
  if (error instanceof TimeoutError) return error.reason === 'attempt_timeout';
  if (!(error instanceof ApiError || error instanceof UnexpectedResponseError)) return false;
  return error.status >= 500 || error.status === 429 || error.status === 408;
}

function retryAfterIn(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
}

/** The same for work of several calls. @throws NotSentError, AbortedError, TimeoutError */
export async function serverTimeFor(
  pipeline: Pipeline,
  recording: Recording,
  { deadlineMs, ...options }: TimeOptions & { readonly deadlineMs: number },
  context: CallContext,
  forWrites = true,
): Promise<void> {
  const { clock } = recording;
  const limitMs = options.deadline ?? deadlineMs;
  const deadlineAt = clock.monotonic() + limitMs;
  const sources = { clock, signal: options.signal, deadlineAt, closing: recording.closing() };
  try {
    await ensureServerTime(pipeline, recording, sources, options, context, forWrites);
  } catch (error) {
    throw error instanceof Stopped ? stopError(error, context, limitMs) : error;
  }
}
