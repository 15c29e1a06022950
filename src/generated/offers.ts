// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { BodyFor, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';

/**
 * An offer on a sale, and the response.
 *
 * API text: Workflow record.
 */
export interface OfferData {
  /** Amount that is offered, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Version of the terms that go with the offer. (API: Workflow record) */
  readonly terms_version?: string | number;
  /** Expiry of the offer, ISO 8601. (API: Workflow record) */
  readonly valid_until?: string;
  /**
   * Why, in words; after a response, whether these are the bank's words or the buyer's is undocumented. (API:
   * Workflow record)
   */
  readonly reason?: string | null;
  /** The buyer's answer, once given. (API: Workflow record) */
  readonly decision?: 'accepted' | 'declined' | (string & {}) | null;
}

/**
 * An offer, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface OfferRecord {
  /** Id of an offer. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'offer' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'open' | 'accepted' | 'declined' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: OfferData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `offers.respond`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface OffersRespondBody {
  /** The buyer's answer. (API: Sale, negotiation, cancellation) */
  readonly decision: 'accepted' | 'declined';
  /** Version of the terms in the offer. (API: Sale, negotiation, cancellation) */
  readonly terms_version: string | number;
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

export const offerDataSchema: ObjectSchema = {
  fields: {
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    terms_version: { optional: { either: ['string', 'number'] } },
    valid_until: { optional: 'string' },
    reason: { optional: { nullable: 'string' } },
    decision: { optional: { nullable: 'string' } },
  },
};

export const offerRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: offerDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const offers = {
  respond: {
    name: 'offers.respond',
    id: 'A25',
    method: 'POST',
    path: '/offers/{offer}/responses',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { offer: 'pathId' },
    body: {
      fields: {
        decision: { values: ['accepted', 'declined'] },
        terms_version: {
          either: ['filled', 'number'],
          problem: 'must be the terms_version that the service gave',
        },
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'offer', kind: 'offer', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: offerRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Negotiated offers: answer them. `saleCases.offer` makes them. As a partner calls it.
 *
 * To look up an id, such as A25: `npx vehicle-auction-sdk docs A25`.
 */
export class Offers {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Accepts or declines an open offer.
   *
   * Accepting does not approve the sale. The bank must still decide it (A22).
   *
   * The service checks expiry and version again with the response. Buyers cannot make counteroffers.
   *
   * API: A25, `POST /offers/{offer}/responses`, scope `offers:respond`; "Sale, negotiation, cancellation".
   * @param offer Offer id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `decision`, `terms_version`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  respond<Offer extends string | VersionedRecord>(
    offer: Offer,
    body: BodyFor<Offer, OffersRespondBody>,
    options?: MutationOptions,
  ): Promise<OfferRecord> {
    return this.#call<OfferRecord>(offers.respond, { path: { offer }, body }, options);
  }
}
