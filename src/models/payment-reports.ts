// Generated from src/api by `npm run generate`; edits are lost.

/**
 * A payment as its payer reports it, and the bank's decision.
 *
 * API text: Workflow record.
 */
export interface PaymentReportData {
  /** Sale that was paid for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Amount that the partner says it paid, INR decimal string. (API: Workflow record) */
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
  /** What is recorded. (API: Workflow record) */
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
  readonly amount: string;
  /** `INR`: all money is in it. (API: Payments, receipts, refunds, disputes) */
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
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Payments, receipts, refunds, disputes)
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
  readonly received_amount?: string | undefined;
  /** `INR`: all money is in it. (API: Payments, receipts, refunds, disputes) */
  readonly currency?: 'INR' | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API:
   * Payments, receipts, refunds, disputes)
   */
  readonly expected_version: number;
}
