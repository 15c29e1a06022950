// Generated from src/api by `npm run generate`; edits are lost.

import type { PartnerType } from '../api/operation.js';
import type { BidOptions, CallOptions, Caller, MutationOptions } from '../core/caller.js';
import type {
  BidDetail,
  BidListItem,
  BidLookup,
  BidReceipt,
  BidsListQuery,
  BidsRequestCancellationBody,
  BidsSubmitBody,
  CancellationRecord,
} from '../models/bids.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { bids } from '../routes/bids.js';

/** Bids: submit, list, read, look up by idempotency key, ask for cancellation. */
export class Bids {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the caller's bids, 25 a page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * API: `GET /bids`, scope `bids:read`; "Bids".
   * @param query What to ask for: `bidder_reference`, `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: BidsListQuery = {}, options?: CallOptions): Pager<BidListItem> {
    return pagerOf<BidListItem>(this.#call, bids.list, { query }, options);
  }

  /**
   * Reads one bid in full, with every code of a rejection.
   *
   * A partner sees its own bids, a bank those of its tenant.
   *
   * API: A05, `GET /bids/{bid}`, scope `bids:read`; "Integration, eligibility, bids, lot status".
   * @param bid Bid id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(bid: string, options?: CallOptions): Promise<BidDetail> {
    return this.#call<BidDetail>(bids.get, { path: { bid } }, options);
  }
}

/** Bids: submit, list, read, look up by idempotency key, ask for cancellation. As a partner calls it. */
export class PartnerBids<P extends PartnerType = PartnerType> extends Bids {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Submits one bid.
   *
   * An idempotency key identifies exactly one bid, however often it is sent. If the outcome is uncertain,
   * resend the identical body under the same key, or look it up (A06). Do not bid again under a new key
   * before that.
   *
   * Acceptance is a provisional standing. It is neither a sale approval nor a request for payment.
   *
   * Retried automatically with identical bytes. If the outcome stays unknown, the error carries the key: pass
   * it to `intents.reconcile`, or repeat the call with it.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`, `BUYER_NOT_ELIGIBLE`,
   * `BUYER_LIMIT_EXPIRED`, `EMD_EXPIRED`, `DEALER_NOT_ELIGIBLE`, `BIDDER_REFERENCE_REQUIRED`,
   * `DIRECT_DEALER_IDENTITY_REQUIRED`, `BID_OFF_OPENING_GRID`, `BID_BELOW_MINIMUM`, `LOT_NOT_LIVE`,
   * `RESOURCE_NOT_GRANTED`, `CHANNEL_NOT_GRANTED`, `BUYER_NOT_ENTITLED_TO_CLIENT`, `DEALER_NOT_FOUND`.
   *
   * API: `POST /lots/{lot}/bids`, scope `bids:write`; "Bids".
   * @param lot Public lot id; not an inventory vehicle id.
   * @param body What to send: `amount`, `bidder_reference`, `client_bid_time`, `dealer_id`,
   * `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  submit(lot: string, body: BidsSubmitBody<P>, options?: BidOptions): Promise<BidReceipt> {
    return this.#call<BidReceipt>(bids.submit, { path: { lot }, body }, options);
  }

  /**
   * Looks up the bid sent under an idempotency key.
   *
   * The key belongs to one environment and one API client. `absent` does not prove that nothing is in flight.
   *
   * API: A06, `GET /bid-requests/{idempotency_key}`, scope `bids:read`; "Integration, eligibility, bids, lot
   * status".
   * @param idempotencyKey UUID under which the bid was sent.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  lookup(idempotencyKey: string, options?: CallOptions): Promise<BidLookup> {
    return this.#call<BidLookup>(bids.lookup, { path: { idempotency_key: idempotencyKey } }, options);
  }

  /**
   * Asks the bank to cancel a bid; the bid stays valid until the bank decides.
   *
   * Supporting evidence is described, but its field is not named.
   *
   * `extraBody` can carry evidence once the name of its field is known.
   *
   * API: A07, `POST /bids/{bid}/cancellation-requests`, scope `bids:cancel-request`; "Integration,
   * eligibility, bids, lot status".
   * @param bid Bid id.
   * @param body What to send: `reason_code`, `explanation`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  requestCancellation(
    bid: string,
    body: BidsRequestCancellationBody,
    options?: MutationOptions,
  ): Promise<CancellationRecord> {
    return this.#call<CancellationRecord>(bids.requestCancellation, { path: { bid }, body }, options);
  }
}
