// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type { RefundRecord } from '../models/refunds.js';
import { refunds } from '../routes/refunds.js';

/** Refunds: read them. `refundRequests.decide` creates them. */
export class Refunds {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads one refund.
   *
   * In `approved_pending_execution` it is approved and the money reserved, but none has been transferred.
   *
   * API: A49, `GET /refunds/{refund}`, scope `refunds:read`; "Payments, receipts, refunds, disputes".
   * @param refund Refund id, not the id of the refund request.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(refund: string, options?: CallOptions): Promise<RefundRecord> {
    return this.#call<RefundRecord>(refunds.get, { path: { refund } }, options);
  }
}
