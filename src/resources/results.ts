// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type { LotSummary } from '../models/lots.js';
import type { ResultsListQuery } from '../models/results.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { results } from '../routes/results.js';

/** Lots of closed auctions. */
export class Results {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the lots of closed auctions, 25 a page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * Needs a results entitlement in addition to the scope.
   *
   * A closed lot is not a confirmed sale, and who else bid is never shown.
   *
   * API: `GET /results`, scope `results:read`; "Catalogue and events".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: ResultsListQuery = {}, options?: CallOptions): Pager<LotSummary> {
    return pagerOf<LotSummary>(this.#call, results.list, { query }, options);
  }
}
