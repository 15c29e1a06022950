// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type {
  PaymentReportRecord,
  PaymentReportsCreateBody,
  PaymentReportsDecideBody,
} from '../models/payment-reports.js';
import { paymentReports } from '../routes/payment-reports.js';

/** Reports of payments made: create, read, decide. */
export class PaymentReports {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads one payment report.
   *
   * API: A37, `GET /payment-reports/{report}`, scope `payments:read`; "Payments, receipts, refunds,
   * disputes".
   * @param report Id of the payment report, not of a payment.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(report: string, options?: CallOptions): Promise<PaymentReportRecord> {
    return this.#call<PaymentReportRecord>(paymentReports.get, { path: { report } }, options);
  }
}

/** Reports of payments made: create, read, decide. As a partner calls it. */
export class PartnerPaymentReports extends PaymentReports {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Reports a payment that was made for a sale; the bank has yet to verify it.
   *
   * A report settles and releases nothing, and never counts as paid before it is verified.
   *
   * Evidence counts only once the scan has found its document clean.
   *
   * API: A36, `POST /payment-reports`, scope `payments:report`; "Payments, receipts, refunds, disputes".
   * @param body What to send: `sale_id`, `amount`, `currency`, `method`, `utr`, `paid_at`,
   * `external_reference`, `evidence_id`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  create(body: PaymentReportsCreateBody, options?: MutationOptions): Promise<PaymentReportRecord> {
    return this.#call<PaymentReportRecord>(paymentReports.create, { body }, options);
  }
}

/** Reports of payments made: create, read, decide. As a bank calls it. */
export class BankPaymentReports extends PaymentReports {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Decides a payment report, such as verifying it against a bank receipt.
   *
   * Verifying takes evidence that the money arrived. Policy may want a second, independent person to approve,
   * so read the `state` that comes back.
   *
   * API: A38, `POST /payment-reports/{report}/decisions`, scope `payments:verify`; "Payments, receipts,
   * refunds, disputes".
   * @param report Id of the payment report, not of a payment. Or the record as it was read or returned: its
   * id, and its `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `bank_receipt_id`, `bank_account_reference`,
   * `received_amount`, `currency`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Report extends string | VersionedRecord>(
    report: Report,
    body: BodyFor<Report, PaymentReportsDecideBody>,
    options?: MutationOptions,
  ): Promise<PaymentReportRecord> {
    return this.#call<PaymentReportRecord>(paymentReports.decide, { path: { report }, body }, options);
  }
}
