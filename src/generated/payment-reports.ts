// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Amount } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';

/**
 * A payment reported by the partner, and the bank's decision.
 *
 * API text: Workflow record.
 */
export interface PaymentReportData {
  /** Sale that was paid for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Reported amount, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Way of payment. (API: Workflow record) */
  readonly method?: 'bank_transfer' | (string & {});
  /** Transaction id of the bank or payment provider. (API: Workflow record) */
  readonly utr?: string;
  /** When it was paid, ISO 8601. (API: Workflow record) */
  readonly paid_at?: string;
  /** The partner's own reference. (API: Workflow record) */
  readonly external_reference?: string | null;
  /** Document that shows the payment. (API: Workflow record) */
  readonly evidence_id?: string | null;
  /** The bank's decision, once made. (API: Workflow record) */
  readonly decision?: 'verified' | (string & {}) | null;
  /** The bank's reason, once decided. (API: Workflow record) */
  readonly reason?: string | null;
  /** Bank receipt that the report was verified against. (API: Workflow record) */
  readonly bank_receipt_id?: string | null;
  /** Bank account that the money arrived on; after verification. (API: Workflow record) */
  readonly bank_account_reference?: string | null;
  /** Amount that arrived, INR decimal string; after verification. (API: Workflow record) */
  readonly received_amount?: string | null;
}

/**
 * A payment report, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface PaymentReportRecord {
  /** Id of a payment report. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'payment_report' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'reported_pending_verification' | 'verified' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: PaymentReportData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `paymentReports.create`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface PaymentReportsCreateBody {
  /** Id of the sale that was paid for. (API: Payments, receipts, refunds, disputes) */
  readonly sale_id: string;
  /** Amount that was paid, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: Amount;
  /** Currency, always `INR`. (API: Payments, receipts, refunds, disputes) */
  readonly currency: 'INR';
  /** Way of payment; the set of values is undocumented. (API: Payments, receipts, refunds, disputes) */
  readonly method: 'bank_transfer' | (string & {});
  /** Transaction id of the bank or payment provider. (API: Payments, receipts, refunds, disputes) */
  readonly utr: string;
  /** When it was paid, ISO 8601 with zone. (API: Payments, receipts, refunds, disputes) */
  readonly paid_at: string;
  /** A reference of your own. (API: Payments, receipts, refunds, disputes) */
  readonly external_reference?: string | undefined;
  /** Id of the document that shows the payment. (API: Payments, receipts, refunds, disputes) */
  readonly evidence_id?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `paymentReports.decide`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface PaymentReportsDecideBody {
  /** The decision; the set of values is undocumented. (API: Payments, receipts, refunds, disputes) */
  readonly decision: 'verified' | (string & {});
  /** Why, in words. (API: Payments, receipts, refunds, disputes) */
  readonly reason?: string | undefined;
  /** Id of the bank receipt that the payment was found in. (API: Payments, receipts, refunds, disputes) */
  readonly bank_receipt_id?: string | undefined;
  /** Bank account that the money arrived on. (API: Payments, receipts, refunds, disputes) */
  readonly bank_account_reference?: string | undefined;
  /** Amount that arrived, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly received_amount?: Amount | undefined;
  /** Currency, always `INR`. (API: Payments, receipts, refunds, disputes) */
  readonly currency?: 'INR' | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Payments, receipts, refunds, disputes)
   */
  readonly expected_version: number;
}

export const paymentReportDataSchema: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    method: { optional: 'string' },
    utr: { optional: 'string' },
    paid_at: { optional: 'string' },
    external_reference: { optional: { nullable: 'string' } },
    evidence_id: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
    reason: { optional: { nullable: 'string' } },
    bank_receipt_id: { optional: { nullable: 'string' } },
    bank_account_reference: { optional: { nullable: 'string' } },
    received_amount: { optional: { nullable: 'money' } },
  },
};

export const paymentReportRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: paymentReportDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const paymentReports = {
  create: {
    name: 'paymentReports.create',
    id: 'A36',
    method: 'POST',
    path: '/payment-reports',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    body: {
      fields: {
        sale_id: 'filled',
        amount: 'amount',
        currency: { values: ['INR'] },
        method: 'filled',
        utr: 'filled',
        paid_at: 'dateTime',
        external_reference: { optional: 'filled' },
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: paymentReportRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'paymentReports.get',
    id: 'A37',
    method: 'GET',
    path: '/payment-reports/{report}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { report: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: paymentReportRecordSchema, server_time: { optional: 'string' } } },
  },
  decide: {
    name: 'paymentReports.decide',
    id: 'A38',
    method: 'POST',
    path: '/payment-reports/{report}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { report: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        reason: { optional: 'filled' },
        bank_receipt_id: { optional: 'filled' },
        bank_account_reference: { optional: 'filled' },
        received_amount: { optional: 'amount' },
        currency: { optional: { values: ['INR'] } },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'report', kind: 'payment_report', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: paymentReportRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Reports of payments made: create, read, decide.
 *
 * To look up an id, such as A37: `npx vehicle-auction-sdk docs A37`.
 */
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

/**
 * Reports of payments made: create, read, decide. As a partner calls it.
 *
 * To look up an id, such as A36: `npx vehicle-auction-sdk docs A36`.
 */
export class PartnerPaymentReports extends PaymentReports {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Reports a payment for a sale, for the bank to verify.
   *
   * A report does not count as payment until the bank verifies it. It settles nothing and releases no
   * vehicle.
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

/**
 * Reports of payments made: create, read, decide. As a bank calls it.
 *
 * To look up an id, such as A38: `npx vehicle-auction-sdk docs A38`.
 */
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
   * Verifying requires evidence that the money arrived. If policy requires a second approver, the report
   * stays pending, so read the returned `state`.
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
