// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type {
  AllocationRecord,
  PaymentRecord,
  PaymentsAllocateBody,
  PaymentsRequestRefundBody,
} from '../models/payments.js';
import type { RefundRequestRecord } from '../models/refund-requests.js';
import { payments } from '../routes/payments.js';

/** Payments: read, allocate to a sale, ask for a refund. */
export class Payments {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads one payment.
   *
   * A payment and a payment report have different ids; a report that is not verified counts for nothing.
   *
   * API: A40, `GET /payments/{payment}`, scope `payments:read`; "Payments, receipts, refunds, disputes".
   * @param payment Payment id, not the id of a payment report.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(payment: string, options?: CallOptions): Promise<PaymentRecord> {
    return this.#call<PaymentRecord>(payments.get, { path: { payment } }, options);
  }

  /**
   * Asks for the refund of a payment, in full or in part.
   *
   * What was refunded before, or is asked for and pending, cannot be asked for again.
   *
   * API: A47, `POST /payments/{payment}/refund-requests`, scope `refunds:request`; "Payments, receipts,
   * refunds, disputes".
   * @param payment Payment id, not the id of a payment report. Or the record as it was read or returned: its
   * id, and its `resource_version` as `expected_version`.
   * @param body What to send: `amount`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  requestRefund<Payment extends string | VersionedRecord>(
    payment: Payment,
    body: BodyFor<Payment, PaymentsRequestRefundBody>,
    options?: MutationOptions,
  ): Promise<RefundRequestRecord> {
    return this.#call<RefundRequestRecord>(payments.requestRefund, { path: { payment }, body }, options);
  }
}

/** Payments: read, allocate to a sale, ask for a refund. As a bank calls it. */
export class BankPayments extends Payments {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Allocates verified money of a payment to a sale.
   *
   * No more than the verified money that is not allocated yet; a receipt is credited once.
   *
   * API: A45, `POST /payments/{payment}/allocations`, scope `payments:allocate`; "Payments, receipts,
   * refunds, disputes".
   * @param payment Payment id, not the id of a payment report. Or the record as it was read or returned: its
   * id, and its `resource_version` as `expected_version`.
   * @param body What to send: `sale_id`, `amount`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  allocate<Payment extends string | VersionedRecord>(
    payment: Payment,
    body: BodyFor<Payment, PaymentsAllocateBody>,
    options?: MutationOptions,
  ): Promise<AllocationRecord> {
    return this.#call<AllocationRecord>(payments.allocate, { path: { payment }, body }, options);
  }
}
