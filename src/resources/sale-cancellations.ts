// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type { SaleCancellationRecord, SaleCancellationsDecideBody } from '../models/sale-cancellations.js';
import { saleCancellations } from '../routes/sale-cancellations.js';

/** Requests to cancel sales: decide them. `saleCases.requestCancellation` makes them. As a bank calls it. */
export class SaleCancellations {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Decides a request to cancel a sale.
   *
   * An approval opens work items for reversals and refunds; neither the approved sale nor any record of money
   * is erased.
   *
   * Once the vehicle is delivered, an exception or a dispute is the way instead.
   *
   * API: A27, `POST /sale-cancellation-requests/{request}/decisions`, scope `sales:cancel-approve`; "Sale,
   * negotiation, cancellation".
   * @param request Id of the sale cancellation request. Or the record as it was read or returned: its id, and
   * its `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Request extends string | VersionedRecord>(
    request: Request,
    body: BodyFor<Request, SaleCancellationsDecideBody>,
    options?: MutationOptions,
  ): Promise<SaleCancellationRecord> {
    return this.#call<SaleCancellationRecord>(saleCancellations.decide, { path: { request }, body }, options);
  }
}
