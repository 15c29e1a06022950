import type { Amount } from '../../api/formats.js';
import type { PartnerType } from '../../api/operation.js';
import type { InputIssue } from '../../errors/local.js';
import type { AuctionEvent } from '../../generated/events.js';
import type { IntentState } from '../../store/intents.js';
import type { BidOutcome, BidToPlace, PlaceOptions } from '../types.js';

/**
 * One bid of a batch: what `place` takes, and a `rowId` from which its idempotency key is derived. It is copied when it is
 * read, so a source may reuse one object; its other fields come back with its result.
 */
export type BidRow<P extends PartnerType = PartnerType> = Omit<BidToPlace<P>, 'bidderReference' | 'event'> &
  Pick<BidToPlace<P>, 'bidderReference'> &
  RowFacts;

interface RowFacts {
  /**
   * Names this one bid within the batch: 1 to 120 visible ASCII characters, with spaces inside only. Use the id of a record,
   * not a line number: a `rowId` must stay with its bid and is never given to another.
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
  /** Line of its file, from 1; for messages. */
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

/** Where rows come from. */
export type RowSource<R> = Iterable<R | UnreadableRow> | AsyncIterable<R | UnreadableRow>;

/** A row of a file. Whether it names the buyer is only known once it is read, so that is checked then. */
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
 * What `placeAll` takes: rows that fit the kind of partner, or a file. One type and not two overloads, so that the compiler
 * reports the mistake where it is.
 */
export type RowsOf<P extends PartnerType, R> =
  // As arrays, because R alone would be narrowed within its own branch.
  | (R[] extends BidRow<P>[] ? RowSource<R> : RowSource<BidRow<P>>)
  | (RowFile<R> & (R[] extends FileRow[] ? unknown : never));

/** How a batch is placed. */
export interface PlaceAllOptions<R> {
  /**
   * Names the batch, 1 to 120 letters, digits, `.`, `_`, `:` or `-`. The same rows under the same name are the same bids,
   * however often they are placed; under another name they are new bids.
   */
  readonly batchId: string;
  /**
   * Rows that may be unsettled at once: waiting for the quota, on the wire, or being looked up; 100 when left out. At most that many rows of an endless source are read and not yet settled.
   */
  readonly concurrency?: number | undefined;
  /**
   * What a wrong row does. `stop`: nothing is sent where the source is an array, a set or `readBids`, because it is read
   * to its end first; else nothing more. `report`: the other rows are placed. Defaults to `stop` for what is read to its
   * end first, otherwise to `report`.
   */
  readonly onInvalid?: 'stop' | 'report' | undefined;
  /**
   * Does everything but send: rows are checked, answered from the store, or held back as they would be, and the others are
   * `would_send`. Nothing is sent or recorded. The rows must come to an end.
   */
  readonly dryRun?: boolean | undefined;
  /** Bids although an earlier bid of the same buyer on the same lot is unresolved. */
  readonly allowUnresolved?: boolean | undefined;
  /** Looks every verdict up, as `place` does with it. */
  readonly confirm?: boolean | undefined;
  /** Stops the batch, as `stop()` does: no further bid leaves; requests on the wire are awaited. */
  readonly signal?: AbortSignal | undefined;
  /**
   * For each row's own call: timeout, deadline (ms), attempts, lane. A deadline given here includes the wait for the quota;
   * when left out, the client's deadline begins when the row's turn in the quota has come.
   */
  readonly place?: Pick<PlaceOptions, 'timeout' | 'deadline' | 'maxAttempts' | 'lane'> | undefined;
  /** Called after each row settles. Not awaited; an error it throws or rejects with is logged. */
  readonly onProgress?: ((progress: BatchProgress<R>) => unknown) | undefined;
}

/** When a batch would leave, before its first bid. Times are Unix ms in server time. */
export interface BatchPlan {
  readonly batchId: string;
  /** Rows that were read. */
  readonly rows: number;
  /** Rows that are wrong. */
  readonly invalid: number;
  /** Rows that an earlier run has settled, or that are only looked up. */
  readonly settled: number;
  /** Bids that are to be sent, one request each. */
  readonly requests: number;
  /** When the plan was made. */
  readonly now: number;
  /** When the last bid has left at the latest, if nothing else uses the quota; undefined if none is to be sent. */
  readonly lastAt: number | undefined;
  /** Rows whose turn comes after their close or `placeBy`, in the order in which they would leave. */
  readonly late: readonly LateRow[];
  /** Rows that are answered from the store or looked up, not sent: `settled` of them, in the order of the batch. */
  readonly recorded: readonly RecordedRow[];
  /**
   * Rows that this side would not send, in the order in which they would leave. Risk limits count every row before as
   * accepted.
   */
  readonly heldBack: readonly HeldBackRow[];
}

/** A row of a plan. */
export interface PlannedRow {
  readonly rowId: string;
  /** Its place in the source, from 1. */
  readonly position: number;
  /** Line of its file, from 1, where it comes from one. */
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
  /** When its turn comes at the latest. */
  readonly leavesAt: number;
  /** Its `placeBy`, or the close of its lot. */
  readonly dueAt: number;
  /** Time from its close to the moment at which it could leave, ms. */
  readonly lateBy: number;
}

interface ResultFacts {
  readonly batchId: string;
  /** Its place in the source, from 1. */
  readonly position: number;
  /** Line of its file, from 1, where it comes from one. */
  readonly line?: number;
  /** Every code of the service, the first reason first. */
  readonly codes: readonly string[];
  /**
   * Why it is not accepted, as `summary.causes` counts it: the first code of the service, else the `reason` of the outcome or
   * error; the wrong field of an invalid row. Absent where it is accepted or would be sent.
   */
  readonly reason?: string;
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** One row, settled. Every row that was read gets exactly one result. */
export type RowResult<R> = PlacedRow<R> | WouldSendRow<R> | InvalidRow<R> | FailedRow<R>;

/**
 * The outcome of a row's bid, or `invalid` where the row is wrong, or `error` where placing it threw. `would_send` only in a
 * dry run.
 */
export type RowStatus = BidOutcome['status'] | 'would_send' | 'invalid' | 'error';

/** A row whose bid has an outcome; `status` is that of the outcome and narrows it. */
export type PlacedRow<R> = { [S in BidOutcome['status']]: PlacedRowWith<R, S> }[BidOutcome['status']];

export interface PlacedRowWith<R, S extends BidOutcome['status']> extends ResultFacts {
  readonly status: S;
  /** The row as it was given. */
  readonly row: R;
  readonly rowId: string;
  readonly idempotencyKey: string;
  readonly outcome: Extract<BidOutcome, { status: S }>;
}

/** A row that would be sent, but for the dry run. */
export interface WouldSendRow<R> extends ResultFacts {
  readonly status: 'would_send';
  /** The row as it was given. */
  readonly row: R;
  readonly rowId: string;
  readonly idempotencyKey: string;
  /** When it would have left at the latest, if nothing else uses the quota: Unix ms in server time. */
  readonly leavesAt: number;
  /** Time from its `placeBy` or close to `leavesAt`, ms; absent where it leaves in time. */
  readonly lateBy?: number;
}

/** A row that is wrong. This run did not send it. */
export interface InvalidRow<R> extends ResultFacts {
  readonly status: 'invalid';
  readonly row: R | UnreadableRow;
  readonly rowId?: string;
  /** Everything that is wrong with it. */
  readonly issues: readonly InputIssue[];
}

/**
 * A row whose placing threw, as `place` throws; `error.outcome` says what is known of the effect. Such an error is an
 * `InDoubtError` where an earlier bid of the buyer on the lot is unresolved (`error.unresolved` has its key), an
 * `IdempotencyConflictError` where the rowId is recorded for another bid, or a `StoreError`.
 */
export interface FailedRow<R> extends ResultFacts {
  readonly status: 'error';
  readonly row: R;
  readonly rowId: string;
  readonly idempotencyKey: string;
  readonly error: unknown;
}

/** How many rows have which status; every status is there. */
export type RowCounts = Readonly<Record<RowStatus, number>>;

/** The progress of a batch. */
export interface BatchProgress<R> {
  /** Rows that were read. */
  readonly read: number;
  /** True once the source has ended, so that `read` is all there is. */
  readonly isReadToEnd: boolean;
  readonly counts: RowCounts;
  /** Rows that have their result. */
  readonly settled: number;
  /** Rows that wait for the quota or a reply. */
  readonly inFlight: number;
  /** What settled last. */
  readonly latest?: RowResult<R>;
}

/** Why a batch ended before its rows did. */
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

/** Why rows of a batch are not accepted. */
export interface BatchCause {
  readonly status: Exclude<RowStatus, 'accepted' | 'would_send'>;
  /** A code of the service, or the `reason` of the outcome or error; the wrong field of an invalid row. */
  readonly reason: string;
  readonly count: number;
  /** The `what` and `nextStep` of the first of them, as sentences. */
  readonly what: string;
  readonly nextStep: string;
}

/** How a batch ended. */
export interface BatchSummary {
  readonly batchId: string;
  /** Rows that were read; each has a result. */
  readonly rows: number;
  readonly counts: RowCounts;
  /** True where the source was read to its end and every row is accepted, rejected or abandoned: nothing is left to do. */
  readonly isComplete: boolean;
  /** Keys of the rows that may have been placed: unknown and not abandoned, or an error whose `outcome` is unknown. */
  readonly inDoubt: readonly string[];
  /** Why rows did not leave or were not taken, the most frequent first: one entry for each status and reason. */
  readonly causes: readonly BatchCause[];
  /** Keys of the rows that were abandoned. */
  readonly abandoned: readonly string[];
  /** Absent where the batch came to its end. */
  readonly stopped?: BatchStop;
}

/**
 * A running batch. It continues whether or not you read its results. Each result is given out once; those that
 * were not read yet are kept. Leaving a loop over it early doesn't stop it.
 */
export interface BatchRun<R> extends AsyncIterable<RowResult<R>> {
  /** How it ended. Never rejects: what ended it early is in `stopped`. */
  readonly summary: Promise<BatchSummary>;
  /** All results that were not read yet. @throws what the source of the rows threw */
  toArray(): Promise<RowResult<R>[]>;
  /**
   * No further bid leaves: what waits for the quota is `not_sent`, requests on the wire are awaited within their timeout,
   * and rows that were not begun are reported as they are on record.
   */
  stop(): void;
}
