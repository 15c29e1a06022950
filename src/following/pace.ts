import { ApiError } from '../errors/api.js';
import { ConnectionError, TimeoutError, UnexpectedResponseError } from '../errors/connection.js';
import { StoreError } from '../errors/store.js';
import type { CallOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';

/** What everything that polls needs of its client. */
export interface Pace {
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'fraction'>;
  /** Server time, Unix ms; local time until a reply has stated it. */
  now(): number;
  /** Requests per minute that polls may use at present, above zero. */
  spare(): number;
  /** Fires when the client begins to close: followers and watches end. */
  readonly closing: AbortSignal;
  /** Fires when the time to close is over: waits end, too. */
  readonly over: AbortSignal;
  /** Milliseconds for one read, with its retries. */
  readonly deadline: number;
  /** Work that `close()` waits for; calls that it makes go on while the client closes. */
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
  /** Something went wrong and is tried again. */
  warn(message: string, fields: () => Readonly<Record<string, unknown>>): void;
}

/** Whether the same call may well work a little later. */
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

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** How long to wait after so many failures in a row: doubling with jitter, and no shorter than the service asks. */
export function retryPause(
  error: unknown,
  failures: number,
  { randomness }: Pick<Pace, 'randomness'>,
): number {
  const most = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  return Math.max(asked, most * (0.5 + randomness.fraction() / 2));
}

/** Milliseconds between polls so that they stay within what the quota spares. */
export function gapMs({ spare }: Pick<Pace, 'spare'>): number {
  return 60_000 / Math.max(spare(), 1);
}

/** What every poll is called with. */
export function pollOptions(signal: AbortSignal): CallOptions {
  return { lane: 'poll', signal };
}
