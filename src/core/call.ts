import type { Route } from '../api/operation.js';
import { ApiError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { ConfigurationError, InvalidRequestError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import type { CallInput, MutationOptions } from '../ports/caller.js';
import type { Turn } from '../ports/quota.js';
import { pause, Stopped, within } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import { attempt, recorded } from './attempt.js';
import type { CallJournal, Settled } from './call-journal.js';
import { contextOf } from './caller.js';
import { redactorOf, safeCause } from './redact.js';
import { type AttemptResult, describeCause, limitOf, type Remedy } from './reply/classify.js';
import { failureOf, injectedFailure, stopFailure } from './reply/failure.js';
import type { Payload } from './reply/reply.js';
import { attachInfo } from './reply/reply.js';
import type { FrozenBody, RequestBody } from './request/file-body.js';
import { type PreparedCall, prepare } from './request/prepare.js';
import { type CallParts, CallState, limitsFor } from './state.js';
import { traceCall } from './telemetry.js';

/** One call, in the two steps between which its bytes can be recorded. */
export interface Pipeline {
  /** Freezes what is to be sent. @throws InvalidRequestError with everything that is wrong */
  prepare(route: Route, input: CallInput, options?: MutationOptions): PreparedCall;
  /**
   * Sends what is frozen until it comes to an end, and resolves with its payload.
   *
   * @param options as they were given to `prepare`, which checked them
   */
  run(call: PreparedCall, options?: MutationOptions, journal?: CallJournal, turn?: Turn): Promise<unknown>;
}

/** The pipeline: prepare → ( admit → sign → send → read → classify )* → decode. */
export function createPipeline(parts: CallParts): Pipeline {
  return {
    prepare: (route, input, options) => {
      // Checked before the body is frozen: wrong options must not use up a key.
      if (options !== undefined) limitsFor(parts.limits, options, route);
      const uuid = () => {
        try {
          return parts.randomness.uuid();
        } catch (cause) {
          throw failedBefore(parts, route, 'randomness.uuid', cause);
        }
      };
      return prepare(route, input, options, parts.defaults, { digests: parts.digests, uuid });
    },
    run: (call, options, journal, turn) => {
      const { route } = call;
      const limits = options === undefined ? parts.limits : limitsFor(parts.limits, options, route);
      let startedAt: number;
      try {
        startedAt = parts.clock.monotonic();
      } catch (cause) {
        throw failedBefore(parts, route, 'clock', cause);
      }
      const state = new CallState(parts, call, limits, startedAt, options, journal, turn);
      return state.trace === undefined ? toEnd(state) : traceCall(state.trace, () => toEnd(state));
    },
  };
}

/** The error of a call that cannot begin, because something injected failed. */
function failedBefore(parts: CallParts, route: Route, option: string, cause: unknown): ConfigurationError {
  const mutates = route.effect !== 'read';
  const context = { ...contextOf(route), attempts: 0, outcome: 'not_sent', mutates } as const;
  const shown = safeCause(cause, redactorOf(parts.keys.secrets));
  return injectedFailure(context, option, 'failed before the call began', shown);
}

/** The loop of one call: attempts, until one settles it or none may follow. */
async function toEnd(state: CallState): Promise<unknown> {
  const { call, journal, parts, sources } = state;
  try {
    if (call.body !== undefined) state.body = await digested(state, call.body);
    const { body } = state;
    if (journal !== undefined && body !== undefined) {
      // Fetched first, because the record names the client that it belongs to.
      state.signer = parts.keys.signer ?? (await fetchSigner(state));
      const begun = await within(sources, 'journal', (signal) => journal.begin(body, signal));
      if (begun.kind === 'settled') return settle(begun);
      state.outcome = begun.outcome ?? state.outcome;
    }
    for (;;) {
      const signer = parts.keys.signer ?? (await fetchSigner(state));
      state.signer = signer;
      const result = await attempt(state, signer);
      if ('kind' in result) return settle(result);
      const outcome = journal === undefined ? result.effect : await recorded(state, journal, result);
      if (result.payload !== undefined && outcome === 'done') {
        return deliver(state, result.payload, result.cached);
      }
      state.outcome = outcome === 'done' ? 'unknown' : outcome;

      const waitMs = await waitBeforeRetry(state, result);
      // An earlier call may have received the first of the two bare refusals that are believed.
      const isBelieved = result.uncoded === true && outcome === 'refused';
      if (waitMs === undefined || isBelieved) throw failureOf(result, state.context, state);
      parts.log.warn('Attempt failed; trying again with the same bytes', () => ({
        ...state.facts,
        reason: state.redact(result.reason),
        outcome: state.outcome,
        maxAttempts: state.limits.maxAttempts,
        waitMs,
      }));
      if (waitMs > 0) await pause(sources, waitMs);
    }
  } catch (error) {
    const failure = failed(state, error);
    parts.log.info('Call failed', () => ({
      ...state.facts,
      error: failure.name,
      ...(failure instanceof VehicleAuctionError && { outcome: failure.outcome, reason: failure.reason }),
      ...(failure instanceof ApiError && { status: failure.status, codes: failure.codes }),
      ...(failure instanceof VehicleAuctionError &&
        failure.requestId !== undefined && { requestId: failure.requestId }),
    }));
    throw failure;
  }
}

/** The error that a call ends with. */
function failed(state: CallState, error: unknown): Error {
  const { context } = state;
  if (error instanceof Stopped) return stopFailure(context, error, limitOf(state.limits, error.kind));
  if (error instanceof StoreError) return error.within(context);
  if (error instanceof VehicleAuctionError) return error;
  // A clock or randomness that throws must not hide that something was sent.
  const outcome = state.signatures.length > 0 ? 'unknown' : 'not_sent';
  const cause = safeCause(error, state.redact);
  return injectedFailure({ ...context, outcome }, 'clock or randomness', 'failed during a call', cause);
}

/** A body with a file in it is read once, to digest it. @throws InvalidRequestError where it cannot be read */
async function digested(state: CallState, body: FrozenBody): Promise<RequestBody> {
  if (!('pending' in body)) return body;
  try {
    return await within(state.sources, 'file', body.pending);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const { outcome: _, ...context } = state.context;
    const why = describeCause(safeCause(error, state.redact));
    const message = `must be the content of a readable file (${why})`;
    throw new InvalidRequestError([{ path: body.field, message }], context);
  }
}

/** Asks for the key to sign with. @throws ConfigurationError where the function that gives it fails */
async function fetchSigner(state: CallState): Promise<Signer> {
  const { keys } = state.parts;
  try {
    return await within(state.sources, 'credentials', keys.fetch());
  } catch (error) {
    keys.abandon();
    if (error instanceof Stopped) throw error;
    const why = error instanceof ConfigurationError ? `: ${error.option} ${error.problem}` : '';
    const { redact } = state;
    const problem = `are missing: the credentials provider failed${redact(why)}`;
    throw injectedFailure(state.context, 'credentials', problem, safeCause(error, redact));
  }
}

/** A wait that the service asks for is observed up to here; beyond it, the error is thrown with the wait on it. */
const RETRY_AFTER_CEILING_MS = 60_000;

/** How long all calls pause after a 429 that does not say for how long. */
const PAUSE_MS = 1_000;

/** The retry decision: how long to wait before the next attempt, in ms; undefined where none may follow. */
async function waitBeforeRetry(state: CallState, result: AttemptResult): Promise<number | undefined> {
  const { parts, call, limits, journal } = state;
  const { effect } = call.route;
  const { status, retryAfterMs = 0, remedy } = result;
  // A 429 pauses every call on the key: one call that waits would leave the others to meet it.
  if (status === 429) parts.quota.pause(Math.min(result.retryAfterMs ?? PAUSE_MS, RETRY_AFTER_CEILING_MS));
  // Corrected even where this call may not try again: the next one must not fail for the same reason.
  const isCorrected = remedy !== undefined && (await correct(state, remedy, result.cached !== undefined));
  // A bid that meets the rate limit is sent again as long as its deadline allows.
  const isBid429 = status === 429 && effect === 'bid';
  if (isBid429) state.uncounted += 1;
  if (!result.retry || state.attempts - state.uncounted >= limits.maxAttempts) return undefined;
  if (result.uncoded === true) {
    state.uncoded += 1;
    if (state.uncoded > 1) return undefined;
  }
  if (remedy !== undefined) return isCorrected ? 0 : undefined;
  if (retryAfterMs > RETRY_AFTER_CEILING_MS && !isBid429) return undefined;
  const wait = Math.max(backoffMs(state.attempts, parts.randomness.fraction()), retryAfterMs);
  if (wait >= state.sources.deadlineAt - parts.clock.monotonic()) return undefined;
  if (wait >= (journal?.msToDepart() ?? Number.POSITIVE_INFINITY)) return undefined;
  // Failures of network and service draw on the budget. A 429 paces by itself, and a replayed nonce concerns one call.
  const drawsOnBudget = effect !== 'bid' && (status === undefined || status >= 500);
  if (drawsOnBudget && parts.retryBudget.left < 1) {
    parts.log.warn('The retry budget is used up; this failure is final', () => state.facts);
    return undefined;
  }
  if (drawsOnBudget) parts.retryBudget.left -= 1;
  return wait;
}

/**
 * Stops retry storms: all calls of a client together may retry this often while the service is down, and then once for
 * every ten that succeed. Bids do not use it: a bid that could be settled is worth its attempts.
 */
export const RETRY_BUDGET = 30;
const REFUND = 0.1;

const BASE_MS = 250;
const CAP_MS = 8_000;

/** Full jitter: between nothing and a ceiling that doubles with each failed attempt. */
function backoffMs(failedAttempts: number, fraction: number): number {
  return Math.floor(fraction * Math.min(CAP_MS, BASE_MS * 2 ** (failedAttempts - 1)));
}

/** Corrects the clock or the key; false where it cannot be, or was corrected in vain before. */
async function correct(state: CallState, remedy: Remedy, isCached: boolean): Promise<boolean> {
  const { keys, serverClock, log } = state.parts;
  if (state.remedies.includes(remedy)) return false;
  state.remedies.push(remedy);
  if (remedy === 'clock') {
    if (serverClock.time() === undefined) return false;
    // A copy says nothing about this request, which may have been stamped well.
    if (isCached) return true;
    const offsetMs = Math.round(serverClock.offsetMs());
    log.warn('The clock of this machine is off; calls are stamped in server time from now on', () => ({
      ...state.facts,
      offsetMs,
    }));
    return true;
  }
  if (state.signer === undefined) return false;
  try {
    return await within(state.sources, 'credentials', keys.renew(state.signer));
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const why = error instanceof ConfigurationError ? error.message : 'the credentials provider failed';
    log.warn('No other credentials are available', () => ({
      ...state.facts,
      reason: state.redact(why),
    }));
    return false;
  }
}

/** What the record answers in place of the service. */
function settle(settled: Settled): unknown {
  if ('error' in settled) throw settled.error;
  if (typeof settled.value === 'object' && settled.value !== null) attachInfo(settled.value, settled.info);
  return settled.value;
}

function deliver(state: CallState, { reply, value, odd, ...stated }: Payload, cached?: string): unknown {
  const { parts, call, attempts, queuedMs, startedAt } = state;
  parts.retryBudget.left = Math.min(RETRY_BUDGET, parts.retryBudget.left + REFUND);
  if (odd.length > 0) {
    parts.log.warn('Values of undocumented types passed through', () => ({
      ...state.facts,
      paths: odd.slice(0, 10).map(state.redact),
    }));
  }
  if (typeof value === 'object' && value !== null) {
    const info = {
      status: reply.status,
      headers: reply.headers,
      body: reply.json,
      ...stated,
      attempts,
      idempotencyKey: call.idempotencyKey,
      ...(cached !== undefined && { cached }),
      timings: { totalMs: parts.clock.monotonic() - startedAt, queuedMs },
    };
    attachInfo(value, info, () => state.redact);
  }
  return value;
}
