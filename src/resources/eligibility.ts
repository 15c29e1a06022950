// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type { EligibilityCheckQuery, EligibilitySnapshot } from '../models/eligibility.js';
import { eligibility } from '../routes/eligibility.js';

/** Whether a bid could be taken, as a diagnosis. As a partner calls it. */
export class Eligibility {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Diagnoses whether a bid on a lot could be taken, and what speaks against it.
   *
   * It reserves no buying power, and everything is checked again when the bid arrives.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: A03, `GET /bidding-eligibility`, scope `eligibility:read`; "Integration, eligibility, bids, lot
   * status".
   * @param query What to ask for: `lot_id`, `bidder_reference`, `amount`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  check(query: EligibilityCheckQuery, options?: CallOptions): Promise<EligibilitySnapshot> {
    return this.#call<EligibilitySnapshot>(eligibility.check, { query }, options);
  }
}
