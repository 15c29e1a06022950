// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';
import type { CancellationRecord } from './bids.js';
import { cancellationRecordSchema } from './bids.js';

/**
 * Query of `bidCancellations.list`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface BidCancellationsListQuery {
  /** Page number, from 1. (API: Integration, eligibility, bids, lot status) */
  readonly page?: number | undefined;
}

/**
 * Body of `bidCancellations.decide`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface BidCancellationsDecideBody {
  /** The decision; the set of values is undocumented. (API: Integration, eligibility, bids, lot status) */
  readonly decision: 'approved' | (string & {});
  /** Why, in words. (API: Integration, eligibility, bids, lot status) */
  readonly reason?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Integration, eligibility, bids, lot status)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Integration, eligibility, bids, lot status)
   */
  readonly expected_version: number;
}

export const bidCancellations = {
  list: {
    name: 'bidCancellations.list',
    id: 'A08',
    method: 'GET',
    path: '/bid-cancellation-requests',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'workflow_page',
    reply: {
      fields: {
        data: {
          fields: {
            items: { list: cancellationRecordSchema },
            current_page: 'int',
            last_page: 'int',
            total: { optional: 'int' },
          },
        },
        server_time: { optional: 'string' },
      },
    },
  },
  decide: {
    name: 'bidCancellations.decide',
    id: 'A09',
    method: 'POST',
    path: '/bid-cancellation-requests/{request}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { request: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        reason: { optional: 'filled' },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'request', kind: 'cancellation', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: cancellationRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Requests to cancel bids: list, decide. `bids.requestCancellation` makes them.
 *
 * To look up an id, such as A08: `npx vehicle-auction-sdk docs A08`.
 */
export class BidCancellations {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists requests to cancel bids, 25 per page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * The API describes filters by bid, lot and decision without naming them.
   *
   * Use `extraQuery` for a filter once you know its name.
   *
   * API: A08, `GET /bid-cancellation-requests`, scope `bids:cancel-read`; "Integration, eligibility, bids,
   * lot status".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: BidCancellationsListQuery = {}, options?: CallOptions): Pager<CancellationRecord> {
    return this.#call.pager<CancellationRecord>(bidCancellations.list, { query }, options);
  }
}

/**
 * Requests to cancel bids: list, decide. `bids.requestCancellation` makes them. As a bank calls it.
 *
 * To look up an id, such as A09: `npx vehicle-auction-sdk docs A09`.
 */
export class BankBidCancellations extends BidCancellations {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Decides a request to cancel a bid.
   *
   * An approval updates the effective bid, the standings and the exposure atomically. Superseded bids stay
   * superseded. A new award after the close needs a separate approval.
   *
   * API: A09, `POST /bid-cancellation-requests/{request}/decisions`, scope `bids:cancel-approve`;
   * "Integration, eligibility, bids, lot status".
   * @param request Id of the cancellation request. Or the record as it was read or returned: its id, and its
   * `resource_version` as `expected_version`.
   * @param body What to send: `decision`, `reason`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Request extends string | VersionedRecord>(
    request: Request,
    body: BodyFor<Request, BidCancellationsDecideBody>,
    options?: MutationOptions,
  ): Promise<CancellationRecord> {
    return this.#call<CancellationRecord>(bidCancellations.decide, { path: { request }, body }, options);
  }
}
