// Generated from src/api by `npm run generate`; edits are lost.

/**
 * Money that goes back.
 *
 * API text: Workflow record.
 */
export interface RefundData {
  /**
   * Request that it came from; whether the refund request or the API call is undocumented. (API: Workflow
   * record)
   */
  readonly request_id?: string;
  /** Payment that the money goes back from. (API: Workflow record) */
  readonly payment_id?: string;
  /** Amount to go back, integer paise. (API: Workflow record) */
  readonly amount_paise?: number;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** How the transfer is carried out; its shape is undocumented. (API: Workflow record) */
  readonly execution?: unknown;
}

/**
 * A refund, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface RefundRecord {
  /** Id of a refund. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'refund' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state:
    | 'requested'
    | 'processing'
    | 'succeeded'
    | 'failed'
    | 'approved_pending_execution'
    | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: RefundData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}
