// Generated from src/api by `npm run generate`; edits are lost.

/**
 * A request to cancel a sale, and its decision.
 *
 * API text: Workflow record.
 */
export interface SaleCancellationData {
  /** Why, as a code; the allowed values are undocumented. (API: Workflow record) */
  readonly reason_code?: string;
  /** Why, in words. (API: Workflow record) */
  readonly explanation?: string | null;
  /** The bank's decision, once made. (API: Workflow record) */
  readonly decision?: 'approved' | (string & {}) | null;
  /** The bank's reason, once decided. (API: Workflow record) */
  readonly reason?: string | null;
}

/**
 * A sale cancellation request, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface SaleCancellationRecord {
  /** Id of a sale cancellation request. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'sale_cancellation' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'pending' | 'approved' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: SaleCancellationData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `saleCancellations.decide`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCancellationsDecideBody {
  /** The decision; the set of values is undocumented. (API: Sale, negotiation, cancellation) */
  readonly decision: 'approved' | (string & {});
  /** Why, in words. (API: Sale, negotiation, cancellation) */
  readonly reason?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API: Sale,
   * negotiation, cancellation)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
}
