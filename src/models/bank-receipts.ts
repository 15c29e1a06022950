// Generated from src/api by `npm run generate`; edits are lost.

/**
 * An entry of a bank account.
 *
 * API text: Workflow record.
 */
export interface BankReceiptData {
  /** Sale that the money is for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Bank account that the money arrived on. (API: Workflow record) */
  readonly bank_account_reference?: string;
  /** Transaction id of the bank or payment provider. (API: Workflow record) */
  readonly utr?: string;
  /** The bank's own id of the entry. (API: Workflow record) */
  readonly external_transaction_id?: string;
  /** Amount that arrived, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Day from which the money counts, a date. (API: Workflow record) */
  readonly value_date?: string;
  /** Document that shows the entry. (API: Workflow record) */
  readonly evidence_id?: string | null;
}

/**
 * A bank receipt, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface BankReceiptRecord {
  /** Id of a bank receipt. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'bank_receipt' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'verified' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: BankReceiptData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `bankReceipts.import`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface BankReceiptsImportBody {
  /** Id of the sale that the money is for. (API: Payments, receipts, refunds, disputes) */
  readonly sale_id: string;
  /** Bank account that the money arrived on. (API: Payments, receipts, refunds, disputes) */
  readonly bank_account_reference: string;
  /** Transaction id of the bank or payment provider. (API: Payments, receipts, refunds, disputes) */
  readonly utr: string;
  /** The bank's own id of the entry. (API: Payments, receipts, refunds, disputes) */
  readonly external_transaction_id: string;
  /** Amount that arrived, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: string;
  /** `INR`: all money is in it. (API: Payments, receipts, refunds, disputes) */
  readonly currency: 'INR';
  /** Day from which the money counts, such as `2026-03-01`. (API: Payments, receipts, refunds, disputes) */
  readonly value_date: string;
  /** Id of the document that shows the entry. (API: Payments, receipts, refunds, disputes) */
  readonly evidence_id?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}
