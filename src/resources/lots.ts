// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type {
  LotStatus,
  LotStatusResult,
  LotSummary,
  LotsListQuery,
  LotsStatusBatchBody,
} from '../models/lots.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { lots } from '../routes/lots.js';

/** Lots across all permitted auctions, and their status. */
export class Lots {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the lots of all auctions that are open to these credentials, 25 a page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * API: `GET /lots`, scope `catalogue:read`; "Catalogue and events".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: LotsListQuery = {}, options?: CallOptions): Pager<LotSummary> {
    return pagerOf<LotSummary>(this.#call, lots.list, { query }, options);
  }
}

/** Lots across all permitted auctions, and their status. As a partner calls it. */
export class PartnerLots extends Lots {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Reads the status of a lot: auction, sale, payment, release and allowed actions.
   *
   * Fields are projected by role and visibility policy.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: A10, `GET /lots/{lot}/status`, scope `lot-status:read`; "Integration, eligibility, bids, lot
   * status".
   * @param lot Public lot id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  status(lot: string, options?: CallOptions): Promise<LotStatus> {
    return this.#call<LotStatus>(lots.status, { path: { lot } }, options);
  }

  /**
   * Reads the status of many lots in one call; each item succeeds or fails separately.
   *
   * A read sent as POST: it changes nothing and takes no idempotency key. 100 lots is a proposed maximum.
   *
   * API: A11, `POST /lots/status-batch`, scope `lot-status:read`; "Integration, eligibility, bids, lot
   * status".
   * @param body What to send: `lot_ids`, `bidder_reference`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  statusBatch(body: LotsStatusBatchBody, options?: CallOptions): Promise<readonly LotStatusResult[]> {
    return this.#call<readonly LotStatusResult[]>(lots.statusBatch, { body }, options);
  }
}
