// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { BodyFor, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';

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
  /** Data of the record. (API: Workflow record) */
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
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Payments, receipts, refunds, disputes)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}

export const refundRequestDataSchema: ObjectSchema = {
  fields: {
    amount: { optional: 'money' },
    reason: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
    refund_id: { optional: { nullable: 'string' } },
  },
};

export const refundRequestRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: refundRequestDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const refundRequests = {
  decide: {
    name: 'refundRequests.decide',
    id: 'A48',
    method: 'POST',
    path: '/refund-requests/{request}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { request: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'request', kind: 'refund_request', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: refundRequestRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Requests for refunds: decide them. `payments.requestRefund` makes them. As a bank calls it.
 *
 * To look up an id, such as A48: `npx vehicle-auction-sdk docs A48`.
 */
export class RefundRequests {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Decides a request for a refund.
   *
   * An approval reserves the money and creates a refund in `approved_pending_execution`. It does not transfer
   * money.
   *
   * API: A48, `POST /refund-requests/{request}/decisions`, scope `refunds:approve`; "Payments, receipts,
   * refunds, disputes".
   * @param request Id of the refund request. Or the record as it was read or returned: its id, and its
   * `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Request extends string | VersionedRecord>(
    request: Request,
    body: BodyFor<Request, RefundRequestsDecideBody>,
    options?: MutationOptions,
  ): Promise<RefundRequestRecord> {
    return this.#call<RefundRequestRecord>(refundRequests.decide, { path: { request }, body }, options);
  }
}
