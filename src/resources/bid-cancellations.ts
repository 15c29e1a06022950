// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type { BidCancellationsDecideBody, BidCancellationsListQuery } from '../models/bid-cancellations.js';
import type { CancellationRecord } from '../models/bids.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { bidCancellations } from '../routes/bid-cancellations.js';

/** Requests to cancel bids: list, decide. `bids.requestCancellation` makes them. */
export class BidCancellations {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the requests to cancel bids, 25 a page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * Filters by bid, lot and decision are described, but not named.
   *
   * `extraQuery` can carry a filter once its name is known.
   *
   * API: A08, `GET /bid-cancellation-requests`, scope `bids:cancel-read`; "Integration, eligibility, bids,
   * lot status".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: BidCancellationsListQuery = {}, options?: CallOptions): Pager<CancellationRecord> {
    return pagerOf<CancellationRecord>(this.#call, bidCancellations.list, { query }, options);
  }
}

/** Requests to cancel bids: list, decide. `bids.requestCancellation` makes them. As a bank calls it. */
export class BankBidCancellations extends BidCancellations {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Decides a request to cancel a bid.
   *
   * An approval moves the effective bid, the standings and the exposure in one step. Superseded bids stay
   * superseded, and a new award after the close needs a separate approval.
   *
   * API: A09, `POST /bid-cancellation-requests/{request}/decisions`, scope `bids:cancel-approve`;
   * "Integration, eligibility, bids, lot status".
   * @param request Id of the cancellation request. Or the record as it was read or returned: its id, and its
   * `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Request extends string | VersionedRecord>(
    request: Request,
    body: BodyFor<Request, BidCancellationsDecideBody>,
    options?: MutationOptions,
  ): Promise<CancellationRecord> {
    return this.#call<CancellationRecord>(bidCancellations.decide, { path: { request }, body }, options);
  }
}
