import type { PartnerType } from '../../api/operation.js';
import type { InputIssue } from '../../errors/local.js';
import type { AuctionEvent } from '../../models/events.js';
import type { BidToPlace } from '../request.js';

/**
 * One bid of a batch: what `place` takes, and the name of the row in place of the bid's own UUID. Whatever else your rows
 * carry comes back with their results.
 */
export type BulkRow<P extends PartnerType = PartnerType> = Omit<
  BidToPlace<P>,
  'intentId' | 'event' | 'bidderReference'
> &
  Pick<BidToPlace<P>, 'bidderReference'> &
  RowFacts;

/** What a row says beside its bid. */
interface RowFacts {
  /**
   * Name of this one bid within the batch, 1 to 120 visible ASCII characters with spaces inside only. Its idempotency
   * key is made of it, so it stays with the bid wherever the row moves, and is never given to another bid.
   */
  readonly rowId: string;
  /** The lot's event, where it is at hand: its grid, its close, and whether its bids are open. */
  readonly event?:
    | (Pick<AuctionEvent, 'bid_increment' | 'ends_at'> & Pick<Partial<AuctionEvent>, 'bid_type'>)
    | undefined;
  /** When the lot closes, where neither lot nor event says so: a Date, ISO 8601 with zone, or Unix ms in server time. */
  readonly closesAt?: Date | string | number | undefined;
  /** Line of its file, from 1; for messages. */
  readonly line?: number | undefined;
  /** What an earlier run wrote down about it. */
  readonly earlierResult?: EarlierResult | undefined;
}

/** A row that couldn't be read as a bid. A source may yield one in place of a row; it is reported, and never sent. */
export interface UnreadableRow {
  readonly issues: readonly InputIssue[];
  readonly rowId?: string | undefined;
  /** Line of its file, from 1. */
  readonly line?: number | undefined;
  /** What stands in its cells, by the name of their column, so that a result file can show it again. */
  readonly cells?: Readonly<Record<string, string>> | undefined;
}

/** Where rows come from. */
export type RowSource<R> = Iterable<R | UnreadableRow> | AsyncIterable<R | UnreadableRow>;

/** What an earlier run wrote down about a row; `readBidsCsv` finds it in a result file. */
export interface EarlierResult {
  readonly batchId: string;
  readonly status: string;
  readonly idempotencyKey: string;
  readonly bidId: string;
  readonly codes: readonly string[];
  readonly attempts: number;
  readonly what: string;
  readonly nextStep: string;
  /** Stands for lot, amount and buyer as they were; empty where nothing was placed. */
  readonly bidCheck: string;
}
