// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';

/**
 * A refund of a payment.
 *
 * API text: Workflow record.
 */
export interface RefundData {
  /**
   * Id of the request; whether of the refund request or of the API call is undocumented. (API: Workflow
   * record)
   */
  readonly request_id?: string;
  /** Refunded payment. (API: Workflow record) */
  readonly payment_id?: string;
  /** Refund amount, integer paise. (API: Workflow record) */
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
  /** Data of the record. (API: Workflow record) */
  readonly data?: RefundData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

export const refundDataSchema: ObjectSchema = {
  fields: {
    request_id: { optional: 'string' },
    payment_id: { optional: 'string' },
    amount_paise: { optional: 'paise' },
    currency: { optional: 'string' },
    execution: { optional: 'unknown' },
  },
};

export const refundRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: refundDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const refunds = {
  get: {
    name: 'refunds.get',
    id: 'A49',
    method: 'GET',
    path: '/refunds/{refund}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { refund: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: refundRecordSchema, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Refunds: read them. `refundRequests.decide` creates them.
 *
 * To look up an id, such as A49: `npx vehicle-auction-sdk docs A49`.
 */
export class Refunds {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads one refund.
   *
   * In `approved_pending_execution`, the refund is approved and the money reserved but not yet transferred.
   *
   * API: A49, `GET /refunds/{refund}`, scope `refunds:read`; "Payments, receipts, refunds, disputes".
   * @param refund Refund id, not the id of the refund request.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(refund: string, options?: CallOptions): Promise<RefundRecord> {
    return this.#call<RefundRecord>(refunds.get, { path: { refund } }, options);
  }
}
