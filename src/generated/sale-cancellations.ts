// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { BodyFor, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';

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
  /** Data of the record. (API: Workflow record) */
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
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Sale, negotiation, cancellation)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
}

export const saleCancellationDataSchema: ObjectSchema = {
  fields: {
    reason_code: { optional: 'string' },
    explanation: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
    reason: { optional: { nullable: 'string' } },
  },
};

export const saleCancellationRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: saleCancellationDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const saleCancellations = {
  decide: {
    name: 'saleCancellations.decide',
    id: 'A27',
    method: 'POST',
    path: '/sale-cancellation-requests/{request}/decisions',
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
    versionFrom: { param: 'request', kind: 'sale_cancellation', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: saleCancellationRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Requests to cancel sales: decide them. `saleCases.requestCancellation` makes them. As a bank calls it.
 *
 * To look up an id, such as A27: `npx vehicle-auction-sdk docs A27`.
 */
export class SaleCancellations {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Decides a request to cancel a sale.
   *
   * An approval opens work items for reversals and refunds. The approved sale and its payment records stay.
   *
   * After delivery of the vehicle, use an exception or a dispute instead.
   *
   * API: A27, `POST /sale-cancellation-requests/{request}/decisions`, scope `sales:cancel-approve`; "Sale,
   * negotiation, cancellation".
   * @param request Id of the sale cancellation request. Or the record as it was read or returned: its id, and
   * its `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Request extends string | VersionedRecord>(
    request: Request,
    body: BodyFor<Request, SaleCancellationsDecideBody>,
    options?: MutationOptions,
  ): Promise<SaleCancellationRecord> {
    return this.#call<SaleCancellationRecord>(saleCancellations.decide, { path: { request }, body }, options);
  }
}
