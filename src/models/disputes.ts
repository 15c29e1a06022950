// Generated from src/api by `npm run generate`; edits are lost.

/**
 * What is disputed about a sale.
 *
 * API text: Workflow record.
 */
export interface DisputeData {
  /** Sale that is disputed. (API: Workflow record) */
  readonly sale_id?: string;
  /** Why, as a code; the allowed values are undocumented. (API: Workflow record) */
  readonly reason_code?: string;
  /** Why, in words. (API: Workflow record) */
  readonly explanation?: string | null;
  /** Document that supports the dispute. (API: Workflow record) */
  readonly evidence_id?: string | null;
}

/**
 * A dispute, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface DisputeRecord {
  /** Id of a dispute. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'dispute' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'open' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: DisputeData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `disputes.create`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface DisputesCreateBody {
  /** Id of the sale that is disputed. (API: Payments, receipts, refunds, disputes) */
  readonly sale_id: string;
  /** Why, as a code; the allowed values are undocumented. (API: Payments, receipts, refunds, disputes) */
  readonly reason_code: string;
  /** Why, in words. (API: Payments, receipts, refunds, disputes) */
  readonly explanation?: string | undefined;
  /** Id of the document that supports the dispute. (API: Payments, receipts, refunds, disputes) */
  readonly evidence_id?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}
