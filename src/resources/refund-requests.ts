// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type { RefundRequestRecord, RefundRequestsDecideBody } from '../models/refund-requests.js';
import { refundRequests } from '../routes/refund-requests.js';

/** Requests for refunds: decide them. `payments.requestRefund` makes them. As a bank calls it. */
export class RefundRequests {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Decides a request for a refund.
   *
   * An approval reserves the money and creates a refund in `approved_pending_execution`; no money has been
   * transferred by then.
   *
   * API: A48, `POST /refund-requests/{request}/decisions`, scope `refunds:approve`; "Payments, receipts,
   * refunds, disputes".
   * @param request Id of the refund request. Or the record as it was read or returned: its id, and its
   * `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Request extends string | VersionedRecord>(
    request: Request,
    body: BodyFor<Request, RefundRequestsDecideBody>,
    options?: MutationOptions,
  ): Promise<RefundRequestRecord> {
    return this.#call<RefundRequestRecord>(refundRequests.decide, { path: { request }, body }, options);
  }
}
