// Generated from src/api by `npm run generate`; edits are lost.

/**
 * Money of a payment that was allocated to a sale.
 *
 * API text: Workflow record.
 */
export interface AllocationData {
  /** Sale that the money was allocated to. (API: Workflow record) */
  readonly sale_id?: string;
  /** Amount that was allocated, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Payment that the money came from. (API: Workflow record) */
  readonly payment_id?: string;
  /** Amount that was allocated, integer paise. (API: Workflow record) */
  readonly amount_paise?: number;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
}

/**
 * An allocation, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface AllocationRecord {
  /** Id of an allocation. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'allocation' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'allocated' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: AllocationData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Money that counts toward a sale.
 *
 * API text: Workflow record.
 */
export interface PaymentData {
  /** Sale that was paid for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Amount of the payment, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** How far the money has come. (API: Workflow record) */
  readonly settlement_state?: 'bank_received' | (string & {});
}

/**
 * A payment, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface PaymentRecord {
  /** Id of a payment. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'payment' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'succeeded' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: PaymentData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `payments.allocate`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface PaymentsAllocateBody {
  /** Id of the sale to credit. (API: Payments, receipts, refunds, disputes) */
  readonly sale_id: string;
  /** Amount to allocate, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: string;
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

/**
 * Body of `payments.requestRefund`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface PaymentsRequestRefundBody {
  /** Amount to refund, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: string;
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
