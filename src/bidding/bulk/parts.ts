import type { Log } from '../../core/log.js';
import type { InputIssue } from '../../errors/local.js';
import type { Clock } from '../../ports/clock.js';
import type { QuotaSettings } from '../../quota/settings.js';
import type { BidOutcome } from '../outcome.js';
import type { BidToPlace, PlaceOptions } from '../request.js';
import type { StatusBatch } from './closes.js';
import type { BidContent } from './key.js';

/** What the journal has under the key of a row. */
export interface RecordedBid {
  readonly outcome: BidOutcome;
  /** What was bid under it. */
  readonly content: BidContent;
}

/** What a batch needs of the client whose bids it places, injected. */
export interface BulkParts {
  /** Places one bid under its `intentId`; `row` is written down with it. */
  place(
    bid: BidToPlace,
    options: PlaceOptions & { readonly row: { readonly batchId: string; readonly rowId: string } },
  ): Promise<BidOutcome>;
  /** What `place` would refuse before it sends anything; nothing where it would refuse nothing. */
  check(bid: BidToPlace, options: PlaceOptions): readonly InputIssue[];
  /** What an earlier run, or another call, has written down under a key; undefined where nothing is on record. */
  recorded(key: string): Promise<RecordedBid | undefined>;
  /** Whose keys they are. */
  clientId(): Promise<string>;
  /** The client's own dealer id, where it has one. */
  readonly dealerId: string | undefined;
  readonly statusBatch: StatusBatch;
  readonly quota: QuotaSettings;
  readonly clock: Clock;
  readonly serverClock: { now(): number };
  readonly log: Pick<Log, 'warn'>;
}
