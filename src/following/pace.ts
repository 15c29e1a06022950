import { codeFacts } from '../api/codes.js';
import type { Observation } from '../core/observe.js';
import { ApiError } from '../errors/api.js';
import { ConnectionError, TimeoutError, UnexpectedResponseError } from '../errors/connection.js';
import { StoreError } from '../errors/store.js';
import type { CallOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';
import type { WatchState } from './watch-state.js';

/** Client services for waits, followers and watches. */
export interface Pace {
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'fraction'>;
  /** Server time, Unix ms; local time until a reply has shown it. */
  now(): number;
  /** Requests per minute that polls may use at present, above zero. */
  spare(): number;
  /** True if polls have a third of their requests left: others don't use the quota up. */
  isIdle(): boolean;
  /** Fires when the client begins to close: followers and watches end. */
  readonly closing: AbortSignal;
  /** Fires when the time to close is over: waits end. */
  readonly over: AbortSignal;
  /** Time limit of one read with its retries, ms. */
  readonly deadline: number;
  /** Runs work that `close()` waits for. Its calls continue while the client closes. */
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
  /** Traces handlers. */
  readonly observation?: Observation | undefined;
  /** Records how current a follower is. */
  readonly followed?: ((read: FollowerRead) => void) | undefined;
  /** The running watches, for the metrics of the client. */
  readonly watches?: Set<{ state(): WatchState }> | undefined;
  /** Logs a failure that is retried. */
  warn(message: string, fields: () => Readonly<Record<string, unknown>>): void;
}

/** The end of one read of a follower. */
export interface FollowerRead {
  /** Name of the method, such as `winnerUpdates.follow`. */
  readonly call: string;
  /** Name of the follower. */
  readonly name: string;
  /** `current`: all items are handled; `behind`: more to read, or failed; `standby`: another process has the position. */
  readonly state: 'current' | 'behind' | 'standby' | 'ended';
  /** Consecutive failures. */
  readonly failures: number;
}

/** True if the same call may succeed later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) {
    return error.status >= 500 || error.status === 429 || error.status === 408 || error.status === 425;
  }
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof UnexpectedResponseError ||
    error instanceof StoreError
  );
}

/** True if the batch may be too large or contain a bad id. Errors of other fields and documented codes have other causes. */
export function refusesBatch({ status, codes, fieldErrors }: ApiError): boolean {
  if (status === 413 || status === 414) return true;
  if (status !== 400 && status !== 422) return false;
  const isOfLots = Object.keys(fieldErrors).every((field) => field.startsWith('lot_ids'));
  return isOfLots && codes.every((code) => codeFacts(code) === undefined);
}

/** True if the service refuses this one buyer or what is asked for it; authorisation concerns the whole watch. */
export function isOfBuyer(error: unknown): boolean {
  if (!(error instanceof ApiError) || isTransient(error)) return false;
  return error.status !== 401 && error.status !== 403;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** Pause after consecutive failures: doubles with jitter, and at least as long as the service asks. */
export function retryPause(
  error: unknown,
  failures: number,
  { randomness }: Pick<Pace, 'randomness'>,
): number {
  const most = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  return Math.max(asked, most * (0.5 + randomness.fraction() / 2));
}

/** Interval between polls that stays within the idle quota, ms. */
export function gapMs({ spare }: Pick<Pace, 'spare'>): number {
  return 60_000 / Math.max(spare(), 1);
}

/** Options of every poll. */
export function pollOptions(signal: AbortSignal): CallOptions {
  return { lane: 'poll', signal };
}

/** Compares times or shares of time. Infinity is a time, too: infinity minus infinity is NaN. */
export function ascending(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
