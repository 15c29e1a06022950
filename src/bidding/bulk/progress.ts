import type { Forecast, LateClose } from './forecast.js';
import type { BulkResult, BulkStatus } from './result.js';

/** How many rows have which status; every status is there. */
export type BulkCounts = Readonly<Record<BulkStatus, number>>;

/** Where a batch stands. Times are Unix ms in server time. */
export interface BulkProgress<R> {
  readonly phase: 'reading' | 'bidding' | 'stopping' | 'done';
  /** Rows that were read. */
  readonly read: number;
  /** True once the source has ended, so that `read` is all there is. */
  readonly isReadToEnd: boolean;
  readonly counts: BulkCounts;
  /** Rows that have their result. */
  readonly settled: number;
  /** Rows that are being placed now. */
  readonly inFlight: number;
  /** Rows that wait for their turn. */
  readonly waiting: number;
  /** Rows that `place` settled in the last minute. */
  readonly perMinute: number;
  /** When the last row that is known would leave; absent while nothing waits. */
  readonly expectedEndAt?: number;
  /** What was settled last. */
  readonly latest?: BulkResult<R>;
}

/** What was found before the first bid. Times are Unix ms in server time. */
export interface BulkPlan {
  /** Rows that were read; of a source that isn't read to its end first, the first of them. */
  readonly rows: number;
  /** Rows that will be placed. */
  readonly toPlace: number;
  /** Rows that are wrong, and rows that a result file or the journal says are settled: neither is placed. */
  readonly invalid: number;
  readonly settledEarlier: number;
  /** Lots that will be bid on, and how many of them have no known close: these go last. */
  readonly lots: number;
  readonly lotsWithoutClose: number;
  /** Requests that it takes, at the least. */
  readonly requests: number;
  /** When the last row would leave. */
  readonly lastLeavesAt: number;
  /** Rows that would leave too late, and where they close. */
  readonly late: number;
  readonly lateCloses: readonly LateClose[];
}

/** Something that a person should know while a batch runs. */
export type BulkWarning = LateWarning | ClosesUnknownWarning;

/** Not everything can leave before it is due. */
export interface LateWarning extends Pick<Forecast, 'late' | 'closes'> {
  readonly type: 'late';
  /** Server time, Unix ms. */
  readonly at: number;
  /** Rows that wait, and the requests that it takes to place them all. */
  readonly rows: number;
  readonly requests: number;
  /** The quota that the estimate reckons with: `limit` requests in `windowMs` (with its margin). */
  readonly quota: { readonly limit: number; readonly windowMs: number };
  /** The same in one sentence. */
  readonly what: string;
}

/** Looking when lots close had no answer, so their rows go last. */
export interface ClosesUnknownWarning {
  readonly type: 'closes_unknown';
  readonly at: number;
  readonly lots: number;
  readonly error: unknown;
  readonly what: string;
}

/**
 * Why a batch ended before its rows did: its signal or `stop()`; rows that are wrong; rows that would leave too late
 * (`ifLate: 'refuse'`); a service that turns the client away, whatever it bids; a journal that can't be written; the
 * client that was closed; a source that threw; anything else.
 */
export interface BulkStop {
  readonly by: 'signal' | 'invalid_rows' | 'late' | 'refused' | 'journal' | 'closed' | 'source' | 'failure';
  /** As a sentence. */
  readonly what: string;
  readonly error?: unknown;
}

/** How a batch ended. Times are Unix ms in server time. */
export interface BulkSummary {
  readonly batchId: string;
  /** Rows that were read; each has a result. */
  readonly rows: number;
  readonly counts: BulkCounts;
  /**
   * True where the source was read to its end and every row is accepted, rejected or abandoned: nothing is left to do.
   */
  readonly isComplete: boolean;
  /** Keys of the rows that may or may not have been recorded, without those that were abandoned. */
  readonly inDoubt: readonly string[];
  /** Keys of the rows that were abandoned while they were in doubt (`bidding.abandon`); they count as `unknown`. */
  readonly abandoned: readonly string[];
  readonly warnings: readonly BulkWarning[];
  /** Absent where the batch came to its end. */
  readonly stopped?: BulkStop;
  readonly startedAt: number;
  readonly endedAt: number;
}
