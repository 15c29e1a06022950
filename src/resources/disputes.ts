// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller, MutationOptions } from '../core/caller.js';
import type { DisputeRecord, DisputesCreateBody } from '../models/disputes.js';
import { disputes } from '../routes/disputes.js';

/** Disputes about sales: raise, read. */
export class Disputes {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Raises a dispute about a sale.
   *
   * It freezes only the actions that it affects, by the bank's policy.
   *
   * A field for the resolution that is wished for is described, but not named.
   *
   * `extraBody` can carry the wished-for resolution once the name of its field is known.
   *
   * API: A50, `POST /disputes`, scope `disputes:write`; "Payments, receipts, refunds, disputes".
   * @param body What to send: `sale_id`, `reason_code`, `explanation`, `evidence_id`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  create(body: DisputesCreateBody, options?: MutationOptions): Promise<DisputeRecord> {
    return this.#call<DisputeRecord>(disputes.create, { body }, options);
  }

  /**
   * Reads one dispute.
   *
   * API: A51, `GET /disputes/{dispute}`, scope `disputes:read`; "Payments, receipts, refunds, disputes".
   * @param dispute Dispute id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(dispute: string, options?: CallOptions): Promise<DisputeRecord> {
    return this.#call<DisputeRecord>(disputes.get, { path: { dispute } }, options);
  }
}
