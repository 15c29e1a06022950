import type { Amount } from '../../api/formats.js';
import type { PartnerType } from '../../api/operation.js';
import type { InputIssue } from '../../errors/local.js';
import type { AuctionEvent } from '../../generated/events.js';
import type { IntentState } from '../../store/intents.js';
import type { BidOutcome, BidToPlace, PlaceOptions } from '../types.js';

/**
 * One bid of a batch: what `place` takes, and a `rowId` from which its idempotency key is derived. It is copied when it
 * is read, so a source may reuse one object. Additional fields are returned with its result.
 */
export type BidRow<P extends PartnerType = PartnerType> = Omit<BidToPlace<P>, 'bidderReference' | 'event'> &
  Pick<BidToPlace<P>, 'bidderReference'> &
  RowFacts;

interface RowFacts {
  /**
   * Identifies this bid within the batch: 1 to 120 visible ASCII characters, with spaces inside only. Use the id of a
   * record, not a line number: a `rowId` must always stay with its bid.
   */
  readonly rowId: string;
  /**
   * The lot's event, if you have it: as in `place`, and its `bid_type`. Bids on one lot are placed one after the other, by
   * ascending amount; in a `closed` auction only those of one buyer.
   */
  readonly event?:
    | (Pick<AuctionEvent, 'bid_increment' | 'ends_at'> & Pick<Partial<AuctionEvent>, 'bid_type'>)
    | undefined;
  /** When the lot closes, if neither lot nor event states it: a Date, ISO 8601 with zone, or Unix ms in server time. */
  readonly closesAt?: Date | string | number | undefined;
  /** Line in its file, from 1, for messages. */
  readonly line?: number | undefined;
}

/** A row that couldn't be read as a bid. A source may yield one in place of a row; it is reported and never sent. */
export interface UnreadableRow {
  readonly issues: readonly InputIssue[];
  readonly rowId?: string | undefined;
  /** Line of its file, from 1. */
  readonly line?: number | undefined;
  /** Its cells by column name, so that a result file can show them again. */
  readonly cells?: Readonly<Record<string, string>> | undefined;
}

/** A source of rows. */
export type RowSource<R> = Iterable<R | UnreadableRow> | AsyncIterable<R | UnreadableRow>;

/** A row of a file. Whether it names the buyer is checked when it is read. */
export interface FileRow {
  readonly line: number;
  readonly rowId: string;
  readonly lot: string;
  readonly amount: Amount;
}

/** Rows of a file, such as `readBids` returns. It is read to its end before the first bid. */
export interface RowFile<R> extends AsyncIterable<R | UnreadableRow> {
  readonly isFinite: true;
}

/**
 * The rows that `placeAll` accepts: rows that fit the kind of partner, or a file. One type instead of two overloads, so
 * that the compiler reports a mistake where it is.
 */
export type RowsOf<P extends PartnerType, R> =
  // Compares arrays, because R alone would be narrowed within its own branch.
  | (R[] extends BidRow<P>[] ? RowSource<R> : RowSource<BidRow<P>>)
  | (RowFile<R> & (R[] extends FileRow[] ? unknown : never));

/** Options of `placeAll`. */
export interface PlaceAllOptions<R> {
  /**
   * Names the batch, 1 to 120 letters, digits, `.`, `_`, `:` or `-`. The same rows under the same name are the same bids,
   * however often they are placed; under another name they are new bids.
   */
  readonly batchId: string;
  /**
   * Maximum number of unsettled rows: waiting for the quota, on the wire, or being looked up. Defaults to 100. At most
   * that many rows of an endless source are read ahead.
   */
  readonly concurrency?: number | undefined;
  /**
   * Handling of an invalid row. `stop`: if the source is an array, a set or `readBids`, all rows are read first and no
   * bid is sent; otherwise no further bid is sent. `report`: the other rows are placed. Defaults to `stop` for sources
   * that are read first, otherwise to `report`.
   */
  readonly onInvalid?: 'stop' | 'report' | undefined;
  /**
   * Checks rows, answers them from the store or holds them back as a real run would, and reports the others as
   * `would_send`. Sends and records nothing. The source must be finite.
   */
  readonly dryRun?: boolean | undefined;
  /** Places bids even if an earlier bid of the same buyer on the same lot is unresolved. */
  readonly allowUnresolved?: boolean | undefined;
  /** Looks up every verdict, like the option of `place`. */
  readonly confirm?: boolean | undefined;
  /** Stops the batch, as `stop()` does: no further bid is sent; requests on the wire are awaited. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Limits of each row's call: timeout, deadline (ms), attempts, lane. A deadline given here includes the wait for the
   * quota; the client's deadline begins when the row's turn in the quota has come.
   */
  readonly place?: Pick<PlaceOptions, 'timeout' | 'deadline' | 'maxAttempts' | 'lane'> | undefined;
  /** Called after each row settles. Not awaited; an error it throws or rejects with is logged. */
  readonly onProgress?: ((progress: BatchProgress<R>) => unknown) | undefined;
}

/** The schedule of a batch before its first bid. Times are Unix ms in server time. */
export interface BatchPlan {
  readonly batchId: string;
  /** Number of rows read. */
  readonly rows: number;
  /** Number of invalid rows. */
  readonly invalid: number;
  /** Rows that an earlier run has settled, or that are only looked up. */
  readonly settled: number;
  /** Bids to send, one request each. */
  readonly requests: number;
  /** Time of the plan. */
  readonly now: number;
  /** Latest departure of the last bid, if nothing else uses the quota; undefined if none is to be sent. */
  readonly lastAt: number | undefined;
  /** Rows whose turn comes after their close or `placeBy`, in the order of sending. */
  readonly late: readonly LateRow[];
  /** Rows that are answered from the store or looked up, not sent: `settled` of them, in the order of the batch. */
  readonly recorded: readonly RecordedRow[];
  /** Rows that the SDK would not send, in the order of sending. Risk limits count every earlier row as accepted. */
  readonly heldBack: readonly HeldBackRow[];
}

/** A row of a plan. */
export interface PlannedRow {
  readonly rowId: string;
  /** Position in the source, from 1. */
  readonly position: number;
  /** Line in its file, from 1; absent without a file. */
  readonly line?: number;
  readonly idempotencyKey: string;
}

/** A row that `placeAll` would not send. */
export interface HeldBackRow extends PlannedRow {
  /**
   * `risk_limit`; `halted`: `bids.halt()` is in force. Otherwise the reason of the error that placing it would throw, such as
   * `unresolved_bid`: an earlier bid of its buyer on its lot is unresolved.
   */
  readonly reason: 'risk_limit' | 'halted' | (string & {});
  /** Why, as a sentence. */
  readonly why: string;
}

/** A row that an earlier run has recorded and that `placeAll` would not send again. */
export interface RecordedRow extends PlannedRow {
  /** State of the bid on record. `sent` is looked up; `stuck` needs manual resolution. */
  readonly state: IntentState;
}

/** A row whose turn in the quota comes too late. */
export interface LateRow extends PlannedRow {
  /** Latest time of its turn. */
  readonly leavesAt: number;
  /** Its `placeBy`, or the close of its lot. */
  readonly dueAt: number;
  /** Time from `dueAt` to `leavesAt`, ms. */
  readonly lateBy: number;
}

interface ResultFacts {
  readonly batchId: string;
  /** Position in the source, from 1. */
  readonly position: number;
  /** Line in its file, from 1; absent without a file. */
  readonly line?: number;
  /** Every code of the service, the first reason first. */
  readonly codes: readonly string[];
  /**
   * Why it is not accepted, as `summary.causes` counts it: the first code of the service, else the `reason` of the
   * outcome or error; the wrong field of an invalid row. Absent if it is accepted or would be sent.
   */
  readonly reason?: string;
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** The result of one row. Every row that was read gets exactly one. */
export type RowResult<R> = PlacedRow<R> | WouldSendRow<R> | InvalidRow<R> | FailedRow<R>;

/**
 * The outcome of a row's bid; `invalid` for an invalid row; `error` if placing it threw; `would_send` only in a dry
 * run.
 */
export type RowStatus = BidOutcome['status'] | 'would_send' | 'invalid' | 'error';

/** A row whose bid has an outcome; `status` is that of the outcome and narrows it. */
export type PlacedRow<R> = { [S in BidOutcome['status']]: PlacedRowWith<R, S> }[BidOutcome['status']];

export interface PlacedRowWith<R, S extends BidOutcome['status']> extends ResultFacts {
  readonly status: S;
  /** The input row. */
  readonly row: R;
  readonly rowId: string;
  readonly idempotencyKey: string;
  readonly outcome: Extract<BidOutcome, { status: S }>;
}

/** A row that would be sent without the dry run. */
export interface WouldSendRow<R> extends ResultFacts {
  readonly status: 'would_send';
  /** The input row. */
  readonly row: R;
  readonly rowId: string;
  readonly idempotencyKey: string;
  /** Latest departure if nothing else uses the quota: Unix ms in server time. */
  readonly leavesAt: number;
  /** Time from its `placeBy` or close to `leavesAt`, ms; absent if it would leave in time. */
  readonly lateBy?: number;
}

/** An invalid row. This run did not send it. */
export interface InvalidRow<R> extends ResultFacts {
  readonly status: 'invalid';
  readonly row: R | UnreadableRow;
  readonly rowId?: string;
  /** All problems of the row. */
  readonly issues: readonly InputIssue[];
}

/**
 * A row for which placing threw an error, as `place` does. `error.outcome` states the known effect. Such an error is an
 * `InDoubtError` if an earlier bid of the buyer on the lot is unresolved (`error.unresolved` has its key), an
 * `IdempotencyConflictError` if the rowId is recorded for another bid, or a `StoreError`.
 */
export interface FailedRow<R> extends ResultFacts {
  readonly status: 'error';
  readonly row: R;
  readonly rowId: string;
  readonly idempotencyKey: string;
  readonly error: unknown;
}

/** Number of rows by status. Every status is present. */
export type RowCounts = Readonly<Record<RowStatus, number>>;

/** The progress of a batch. */
export interface BatchProgress<R> {
  /** Number of rows read. */
  readonly read: number;
  /** True once the source has ended; `read` is then final. */
  readonly isReadToEnd: boolean;
  readonly counts: RowCounts;
  /** Number of rows with a result. */
  readonly settled: number;
  /** Rows that wait for the quota or a reply. */
  readonly inFlight: number;
  /** The latest result. */
  readonly latest?: RowResult<R>;
}

/** The reason why a batch ended early. */
export interface BatchStop {
  /**
   * `stop`: its `stop()`; `signal`: its signal; `invalid_rows`; `halted`: `bids.halt()`; `refused`: the service turns the client
   * away for every bid; `store`; `closed`: the client; `source`: the rows could not be read; `failure`: anything else.
   */
  readonly reason:
    | 'stop'
    | 'signal'
    | 'invalid_rows'
    | 'halted'
    | 'refused'
    | 'store'
    | 'closed'
    | 'source'
    | 'failure';
  /** As a sentence. */
  readonly what: string;
  readonly error?: unknown;
}

/** A cause of rows that are not accepted. */
export interface BatchCause {
  readonly status: Exclude<RowStatus, 'accepted' | 'would_send'>;
  /** A code of the service, or the `reason` of the outcome or error; the wrong field of an invalid row. */
  readonly reason: string;
  readonly count: number;
  /** The `what` and `nextStep` of the first such row, as sentences. */
  readonly what: string;
  readonly nextStep: string;
}

/** Summary of a batch. */
export interface BatchSummary {
  readonly batchId: string;
  /** Number of rows read; each has a result. */
  readonly rows: number;
  readonly counts: RowCounts;
  /** True if the source was read to its end and every row is accepted, rejected or abandoned: nothing is left to do. */
  readonly isComplete: boolean;
  /** Keys of the rows that may have been placed: unknown and not abandoned, or an error whose `outcome` is unknown. */
  readonly inDoubt: readonly string[];
  /**
   * Causes of rows that were not sent or not accepted, the most frequent first: one entry for each status and reason.
   */
  readonly causes: readonly BatchCause[];
  /** Keys of the rows that were abandoned. */
  readonly abandoned: readonly string[];
  /** Absent if the batch ran to its end. */
  readonly stopped?: BatchStop;
}

/**
 * A running batch. It continues whether or not you read its results. Each result is delivered once; unread ones are
 * kept. Leaving a loop over it early doesn't stop it.
 */
export interface BatchRun<R> extends AsyncIterable<RowResult<R>> {
  /** The summary, once the batch has ended. Never rejects: `stopped` has the cause of an early end. */
  readonly summary: Promise<BatchSummary>;
  /** All unread results. @throws the error of the source */
  toArray(): Promise<RowResult<R>[]>;
  /**
   * Sends no further bid. Bids that wait for the quota are `not_sent`, requests on the wire are awaited within their
   * timeout, and rows that had not begun are reported by their records.
   */
  stop(): void;
}
