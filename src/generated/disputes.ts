// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller, MutationOptions } from '../ports/caller.js';

/**
 * A dispute about a sale.
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
  /** Data of the record. (API: Workflow record) */
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
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}

export const disputeDataSchema: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    reason_code: { optional: 'string' },
    explanation: { optional: { nullable: 'string' } },
    evidence_id: { optional: { nullable: 'string' } },
  },
};

export const disputeRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: disputeDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const disputes = {
  create: {
    name: 'disputes.create',
    id: 'A50',
    method: 'POST',
    path: '/disputes',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    body: {
      fields: {
        sale_id: 'filled',
        reason_code: 'filled',
        explanation: { optional: 'filled' },
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: disputeRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'disputes.get',
    id: 'A51',
    method: 'GET',
    path: '/disputes/{dispute}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { dispute: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: disputeRecordSchema, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Disputes about sales: raise, read.
 *
 * To look up an id, such as A50: `npx vehicle-auction-sdk docs A50`.
 */
export class Disputes {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Raises a dispute about a sale.
   *
   * A dispute freezes only the affected actions, by the bank's policy.
   *
   * The API describes a field for the desired resolution without naming it.
   *
   * Use `extraBody` for the desired resolution once you know the name of its field.
   *
   * API: A50, `POST /disputes`, scope `disputes:write`; "Payments, receipts, refunds, disputes".
   * @param body What to send: `sale_id`, `reason_code`, `explanation`, `evidence_id`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  create(body: DisputesCreateBody, options?: MutationOptions): Promise<DisputeRecord> {
    return this.#call<DisputeRecord>(disputes.create, { body }, options);
  }

  /**
   * Reads one dispute.
   *
   * API: A51, `GET /disputes/{dispute}`, scope `disputes:read`; "Payments, receipts, refunds, disputes".
   * @param dispute Dispute id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(dispute: string, options?: CallOptions): Promise<DisputeRecord> {
    return this.#call<DisputeRecord>(disputes.get, { path: { dispute } }, options);
  }
}
