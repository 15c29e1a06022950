// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type { OfferRecord, OffersRespondBody } from '../models/offers.js';
import { offers } from '../routes/offers.js';

/** Negotiated offers: answer them. `saleCases.offer` makes them. As a partner calls it. */
export class Offers {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Accepts or declines an open offer.
   *
   * Accepting does not approve the sale: the bank still has to decide it (A22).
   *
   * Expiry and version are checked again together with the answer. Buyers cannot make counteroffers.
   *
   * API: A25, `POST /offers/{offer}/responses`, scope `offers:respond`; "Sale, negotiation, cancellation".
   * @param offer Offer id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `decision`, `terms_version`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  respond<Offer extends string | VersionedRecord>(
    offer: Offer,
    body: BodyFor<Offer, OffersRespondBody>,
    options?: MutationOptions,
  ): Promise<OfferRecord> {
    return this.#call<OfferRecord>(offers.respond, { path: { offer }, body }, options);
  }
}
