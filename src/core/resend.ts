import type { AttemptResult } from './reply/classify.js';

/** Decides whether recorded bytes may be sent again, and after which wait. */

/** Known facts of bytes that were sent before. */
export interface SentBytes {
  /** The latest result; undefined if none is recorded. */
  readonly last: AttemptResult | undefined;
  /** The service rejected an attempt. A rejection is final. */
  readonly wasRejected: boolean;
  /** A10 has shown that the lot is closed. */
  readonly isClosed: boolean;
}

/**
 * Origin of a resend: the loop of a call, at once; `bids.place`, after a lookup found nothing or in place of a lookup,
 * where an earlier call left the bid in doubt; or the caller, who repeats a call under its key or uses `recover({
 * resend: true })`.
 */
export type ResendRequest = 'retry' | 'after_lookup' | 'without_lookup' | 'by_caller';

/**
 * Whether the same bytes may be sent again. Every place that resends asks this function.
 *
 * @param msLeft milliseconds until they may no longer leave: `placeBy`, or the time for which the service remembers the key
 */
export function mayBeSentAgain(
  request: ResendRequest,
  { last, wasRejected, isClosed }: SentBytes,
  msLeft: number,
): boolean {
  if (wasRejected || isClosed || msLeft <= 0) return false;
  switch (request) {
    case 'retry':
      return last?.retry === true;
    case 'after_lookup':
      // The service would refuse it again.
      return last?.effect !== 'refused' && last?.effect !== 'uncoded';
    case 'without_lookup':
      // After a refusal or a verdict, a lookup shows more than the same reply once more.
      return last === undefined || last.effect === 'unknown' || last.effect === 'not_sent';
    case 'by_caller':
      return true;
  }
}

/** A longer `Retry-After` is not waited for: the error is thrown, with the wait on it. */
export const RETRY_AFTER_CEILING_MS = 60_000;

/** How long all calls pause after a 429 without `Retry-After`. */
const PAUSE_MS = 1_000;

const BACKOFF_BASE_MS = 250;
const BACKOFF_CAP_MS = 8_000;

/** From this attempt on, at least half of the ceiling is waited. */
const FEW_ATTEMPTS = 3;

/** For how long a 429 pauses every call on the key, ms. If only one call waited, the others would get a 429 as well. */
export function pauseAfter429({ retryAfter = PAUSE_MS }: AttemptResult): number {
  return Math.min(retryAfter, RETRY_AFTER_CEILING_MS);
}

/**
 * How long to wait before the next attempt, ms; undefined if the service asks for too long. Full jitter: a random part of
 * a ceiling that doubles with each failed attempt.
 *
 * @param leftMs what is left of a bid, which waits as long as the service asks for. Where that is longer than what is left, it
 * waits a minute, as all calls do, and is not given up. Undefined for other calls
 */
export function retryWait(
  { retryAfter = 0 }: Pick<AttemptResult, 'retryAfter'>,
  failedAttempts: number,
  fraction: number,
  leftMs?: number,
): number | undefined {
  if (retryAfter > RETRY_AFTER_CEILING_MS && leftMs === undefined) return undefined;
  const asked = leftMs !== undefined && retryAfter >= leftMs ? RETRY_AFTER_CEILING_MS : retryAfter;
  const ceiling = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (failedAttempts - 1));
  // Unlimited attempts end only by time, so their waits must take some.
  const part = failedAttempts < FEW_ATTEMPTS ? fraction : (1 + fraction) / 2;
  return Math.max(Math.floor(part * ceiling), Math.min(asked, retryAfter));
}
