import { PartnerLots as LotCalls } from '../generated/lots.js';
import type { Caller } from '../ports/caller.js';
import type { Pace } from './pace.js';
import { type LotToWatch, LotWatch, type WatchOptions } from './watch.js';

/** Lots across all permitted auctions: list them, read their status, follow them. */
export class PartnerLots extends LotCalls {
  readonly #pace: Pace;

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  /**
   * Follows lots: yields the status of each, then every change.
   *
   * Reads in batches of up to 100, more often near the close and after changes, within the idle request quota. A lot that
   * fails is yielded as `unavailable`. An outage is reported once, and all lots are read again after it. Older versions are
   * dropped. If you read slower than the lots change, you get the latest change of each.
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
    return new LotWatch(this.#pace, (body, limits) => this.statusBatch(body, limits), lots, options);
  }
}
