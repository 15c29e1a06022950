// Generated from src/api by `npm run generate`; edits are lost.

/**
 * A request for a refund, and its decision.
 *
 * API text: Workflow record.
 */
export interface RefundRequestData {
  /** Amount to be refunded, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /**
   * Why, in words; after a decision, whether these are the requester's words or the bank's is undocumented.
   * (API: Workflow record)
   */
  readonly reason?: string | null;
  /** The bank's decision, once made. (API: Workflow record) */
  readonly decision?: 'approved' | (string & {}) | null;
  /** The refund that an approval created. (API: Workflow record) */
  readonly refund_id?: string | null;
}

/**
 * A refund request, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface RefundRequestRecord {
  /** Id of a refund request. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'refund_request' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'pending' | 'approved' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: RefundRequestData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `refundRequests.decide`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface RefundRequestsDecideBody {
  /** The decision; the set of values is undocumented. (API: Payments, receipts, refunds, disputes) */
  readonly decision: 'approved' | (string & {});
  /** Why, in words. (API: Payments, receipts, refunds, disputes) */
  readonly reason?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API:
   * Payments, receipts, refunds, disputes)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}
