import type { Route } from '../api/operation.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock, ServerClock } from '../ports/clock.js';
import type { Quota } from '../ports/quota.js';
import type { Randomness } from '../ports/randomness.js';
import { Stopped, type StopSources, within } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import type { CallLimits } from './caller.js';
import type { CallJournal } from './journal.js';
import type { Log } from './log.js';
import type { Redact } from './redact.js';
import type { AttemptResult, Correction } from './reply/classify.js';
import { mayBeSentAgain, pauseAfter429, retryWait, type SentBytes } from './resend.js';

/** A call whose last attempt failed, as a retry reads and changes it. */
interface RetriedCall {
  readonly parts: {
    readonly clock: Clock;
    readonly serverClock: ServerClock;
    readonly randomness: Randomness;
    readonly quota: Quota;
    readonly keys: { renew(revoked: Signer): Promise<boolean> };
    readonly retryBudget: { left: number };
    readonly log: Log;
  };
  readonly call: { readonly route: Route };
  readonly limits: CallLimits;
  readonly journal: CallJournal | undefined;
  readonly sources: StopSources;
  readonly signer: Signer | undefined;
  readonly attempts: number;
  uncounted: number;
  uncoded: number;
  readonly corrections: Correction[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly redact: Redact;
}

/**
 * Stops retry storms: all calls of a client together may retry this often while the service is down, and then once for
 * every ten that succeed. Bids do not use it: a bid may use all of its attempts.
 */
export const RETRY_BUDGET = 30;
export const REFUND = 0.1;

/** How long to wait before the next attempt, in ms; undefined if none may follow. */
export async function waitBeforeRetry(
  state: RetriedCall,
  result: AttemptResult,
  sent: SentBytes,
): Promise<number | undefined> {
  const { parts, call, limits, journal } = state;
  const { effect } = call.route;
  const { status, correction } = result;
  if (status === 429) pauseAll(state, result);
  // Correct even if this call may not try again, so that the next one does not fail for the same reason.
  const isCorrected =
    correction !== undefined && (await correct(state, correction, result.cached !== undefined));
  // A bid that meets the rate limit has not used up one of its attempts.
  if (status === 429 && effect === 'bid') state.uncounted += 1;
  if (result.effect === 'uncoded') state.uncoded += 1;
  const msLeft = journal?.msToDepart() ?? Number.POSITIVE_INFINITY;
  if (!mayBeSentAgain('retry', { ...sent, last: result }, msLeft) || state.uncoded > 1) return undefined;
  if (state.attempts - state.uncounted >= limits.maxAttempts) return undefined;
  if (correction !== undefined) return isCorrected ? 0 : undefined;
  const left = Math.min(msLeft, state.sources.deadlineAt - parts.clock.monotonic());
  const leftOfBid = effect === 'bid' ? left : undefined;
  const wait = retryWait(result, state.attempts, parts.randomness.fraction(), leftOfBid);
  if (wait === undefined || wait >= left) return undefined;
  // Failures of network and service draw on the budget. A 429 paces by itself, and a replayed nonce concerns one call.
  const drawsOnBudget = effect !== 'bid' && (status === undefined || status >= 500);
  if (drawsOnBudget && parts.retryBudget.left < 1) {
    parts.log.warn('The retry budget is used up; this failure is final', () => state.facts);
    return undefined;
  }
  if (drawsOnBudget) parts.retryBudget.left -= 1;
  return wait;
}

/** Pauses every call on the key, at most a minute. */
function pauseAll({ parts, facts }: RetriedCall, result: AttemptResult): void {
  const pause = pauseAfter429(result);
  const { retryAfter = 0 } = result;
  parts.quota.pause(pause);
  if (retryAfter <= pause) return;
  const message = 'The service asks for a longer wait than calls pause';
  parts.log.warn(message, () => ({ ...facts, retryAfter, pause }));
}

/** Corrects the clock or the key; false if that is impossible or was tried before. */
async function correct(state: RetriedCall, correction: Correction, isCached: boolean): Promise<boolean> {
  const { keys, serverClock, log } = state.parts;
  if (state.corrections.includes(correction)) return false;
  state.corrections.push(correction);
  if (correction === 'clock') {
    if (serverClock.time() === undefined) return false;
    // A copy says nothing about this request, which may have been stamped well.
    if (isCached) return true;
    const offset = Math.round(serverClock.offsetMs());
    log.warn('The clock of this machine is off; calls are stamped in server time from now on', () => ({
      ...state.facts,
      offset,
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
