// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';
import type { LotSummary } from './lots.js';
import { lotSummarySchema } from './lots.js';

/**
 * Query of `results.list`.
 *
 * API text: Catalogue and events.
 */
export interface ResultsListQuery {
  /** Page number, from 1. (API: Catalogue and events) */
  readonly page?: number | undefined;
}

export const results = {
  list: {
    name: 'results.list',
    id: 'results.list',
    method: 'GET',
    path: '/results',
    availability: 'callable',
    effect: 'read',
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'results_page',
    reply: { fields: { data: { list: lotSummarySchema }, current_page: 'int', last_page: 'int' } },
  },
} satisfies Readonly<Record<string, Route>>;

/** Lots of closed auctions. */
export class Results {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the lots of closed auctions, 25 per page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * Requires a results entitlement in addition to the scope.
   *
   * A closed lot is not a confirmed sale. Other bidders are never shown.
   *
   * API: `GET /results`, scope `results:read`; "Catalogue and events".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: ResultsListQuery = {}, options?: CallOptions): Pager<LotSummary> {
    return this.#call.pager<LotSummary>(results.list, { query }, options);
  }
}
