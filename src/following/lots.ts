import type { LotsStatusBatchBody } from '../generated/lots.js';
import { PartnerLots as LotCalls } from '../generated/lots.js';
import type { Caller, CallOptions } from '../ports/caller.js';
import type { Pace } from './pace.js';
import { type LotToWatch, LotWatch, type WatchOptions } from './watch.js';

/** Lots across all permitted auctions: list them, read their status, follow them. */
export class PartnerLots extends LotCalls {
  readonly #pace: Pace;
  /** The watches that run: they share what they read. */
  readonly #watches = new Set<LotWatch>();

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  /**
   * Follows lots: yields the status of each, then every change.
   *
   * Reads in batches of up to 100. While the quota is idle, no status of a live lot gets older than `every` (5 seconds); near a
   * close and after changes it is read sooner, and less often where others use the quota. Watches of one client share their
   * reads. A lot that fails is yielded as `unavailable`. An outage is reported once, and all lots are read again after it. Older
   * versions are dropped. If you read slower than the lots change, you get the latest change of each.
   *
   * The watch continues even without lots. It ends with its signal, with the client, or when you leave the loop.
   *
   * API: A11, scope `lot-status:read`.
   * @param lots Lots of a reply, or their public ids; `watch.add` adds more.
   * @returns an async iterable for one loop; nothing is sent before you iterate.
   * @throws InvalidRequestError for anything that is not a lot. While iterating: errors that a retry can't fix, such as
   *   PermissionError.
   */
  watch(lots: Iterable<LotToWatch>, options?: WatchOptions): LotWatch {
    const read = (body: LotsStatusBatchBody, limits: CallOptions) => this.statusBatch(body, limits);
    return new LotWatch(this.#pace, read, lots, options, this.#watches);
  }
}
