import type { LotsStatusBatchBody } from '../generated/lots.js';
import { PartnerLots as LotCalls } from '../generated/lots.js';
import type { Caller, CallOptions } from '../ports/caller.js';
import type { Pace } from './pace.js';
import type { StandingsSource } from './standing.js';
import { LotWatch, type WatchParts } from './watch.js';
import type { LotToWatch, WatchOptions } from './watch-options.js';

/** Lots across all permitted auctions: list them, read their status, follow them. */
export class PartnerLots extends LotCalls {
  readonly #parts: WatchParts;

  /** @internal */
  constructor(call: Caller, pace: Pace, standings: StandingsSource | undefined) {
    super(call);
    const read = (body: LotsStatusBatchBody, limits: CallOptions) => this.statusBatch(body, limits);
    this.#parts = { pace, read, standings, running: new Set() };
  }

  /**
   * Follows lots: yields the status of each, then every change.
   *
   * Reads in batches of up to 100. While the quota is idle, no status of a live lot gets older than `every` (5
   * seconds); near a close and after changes it is read sooner, and less often if others use the quota. Watches of one
   * client share their reads. A lot that fails is yielded as `unavailable`. An outage is reported once, and all lots
   * are read again after it. Older versions are dropped. If you read slower than the lots change, you get the latest
   * change of each.
   *
   * With `buyers`, snapshots and changes carry every buyer's standing, derived from `highest_amount` and the accepted bids in the
   * client's store. In closed auctions it is read for each buyer with a bid in the store, after each quarter of the time to the
   * close. A change of a standing is a change of the lot.
   *
   * The watch continues even without lots. It ends with its signal, with the client, or when you leave the loop.
   *
   * API: A11, scope `lot-status:read`.
   * @param lots Lots of a reply, or their public ids; `watch.add` adds more.
   * @returns an async iterable for one loop; nothing is sent before you iterate.
   * @throws InvalidRequestError for anything that is not a lot, and for options that can't work. While iterating: errors that a retry can't fix, such as
   *   PermissionError.
   */
  watch(lots: Iterable<LotToWatch>, options?: WatchOptions): LotWatch {
    return new LotWatch(this.#parts, lots, options);
  }
}
