// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';

/**
 * Visibility of bids to other bidders.
 *
 * API text: Non-record read shapes.
 */
export interface BidVisibility {
  /** Policy of open auctions. (API: Non-record read shapes) */
  readonly open?: string;
  /** Policy of closed auctions. (API: Non-record read shapes) */
  readonly closed?: string;
}

/**
 * Capabilities of this deployment.
 *
 * API text: Non-record read shapes.
 */
export interface Capabilities {
  /** Interface versions, such as `v1`. (API: Non-record read shapes) */
  readonly api_versions?: readonly string[];
  /** Version of the bank's policies. (API: Non-record read shapes) */
  readonly policy_version?: string | number;
  /** Visibility of bids to other bidders, by auction type. (API: Non-record read shapes) */
  readonly bid_visibility?: BidVisibility;
  /** How bid cancellations are decided. (API: Non-record read shapes) */
  readonly cancellation_mode?: string;
  /** How sales are approved. (API: Non-record read shapes) */
  readonly sale_approval?: string;
  /** How payments are verified. (API: Non-record read shapes) */
  readonly payment_verification?: string;
  /** Whether webhook delivery is on. (API: Non-record read shapes) */
  readonly webhooks?: FeatureSwitch;
  /** Whether realtime sessions are on. (API: Non-record read shapes) */
  readonly realtime?: FeatureSwitch;
  /** Operations of the service; the item shape is undocumented. (API: Non-record read shapes) */
  readonly operations?: readonly unknown[];
}

/**
 * Whether a feature is switched on.
 *
 * API text: Non-record read shapes.
 */
export interface FeatureSwitch {
  /** Whether the feature is on. (API: Non-record read shapes) */
  readonly enabled?: boolean;
}

/**
 * Identity and permissions of these credentials. Never holds a signing secret.
 *
 * API text: Non-record read shapes.
 */
export interface Profile {
  /** Environment that the credentials belong to. (API: Non-record read shapes) */
  readonly environment?: string;
  /** The bank that issued the credentials. (API: Non-record read shapes) */
  readonly bank_id?: string;
  /** The partner; not an id to bid with. (API: Non-record read shapes) */
  readonly partner_id?: string | null;
  /** The API client that signed this call. (API: Non-record read shapes) */
  readonly client_id: string;
  /** Which side these credentials act for. (API: Non-record read shapes) */
  readonly actor_type?: 'bank' | 'partner' | (string & {});
  /** Kind of partner: direct dealer, platform or aggregator. (API: Non-record read shapes) */
  readonly partner_type?: string | null;
  /** The bidding dealer id linked to the credentials. (API: Non-record read shapes) */
  readonly dealer_id?: string | null;
  /** Granted scopes. New scopes are never granted automatically. (API: Non-record read shapes) */
  readonly scopes?: readonly string[];
  /** Operations permitted to these credentials. (API: Non-record read shapes) */
  readonly operations?: readonly ProfileOperation[];
}

/**
 * An operation that these credentials may call.
 *
 * API text: Non-record read shapes.
 */
export interface ProfileOperation {
  /** Operation id as the service lists it, such as `A06`. (API: Non-record read shapes) */
  readonly id: string;
  /** HTTP method. (API: Non-record read shapes) */
  readonly method?: string;
  /** Path of the operation. (API: Non-record read shapes) */
  readonly path?: string;
  /** Scope that it needs. (API: Non-record read shapes) */
  readonly scope?: string;
  /** Human-readable title. (API: Non-record read shapes) */
  readonly title?: string;
  /** Actors that may call it: `bank`, `partner`. (API: Non-record read shapes) */
  readonly actors?: readonly string[];
}

export const bidVisibilitySchema: ObjectSchema = {
  fields: { open: { optional: 'string' }, closed: { optional: 'string' } },
};

export const featureSwitchSchema: ObjectSchema = { fields: { enabled: { optional: 'boolean' } } };

export const capabilitiesSchema: ObjectSchema = {
  fields: {
    api_versions: { optional: { list: 'string' } },
    policy_version: { optional: { either: ['string', 'number'] } },
    bid_visibility: { optional: bidVisibilitySchema },
    cancellation_mode: { optional: 'string' },
    sale_approval: { optional: 'string' },
    payment_verification: { optional: 'string' },
    webhooks: { optional: featureSwitchSchema },
    realtime: { optional: featureSwitchSchema },
    operations: { optional: { list: 'unknown' } },
  },
};

export const profileOperationSchema: ObjectSchema = {
  fields: {
    id: 'string',
    method: { optional: 'string' },
    path: { optional: 'string' },
    scope: { optional: 'string' },
    title: { optional: 'string' },
    actors: { optional: { list: 'string' } },
  },
};

export const profileSchema: ObjectSchema = {
  fields: {
    environment: { optional: 'string' },
    bank_id: { optional: 'string' },
    partner_id: { optional: { nullable: 'string' } },
    client_id: 'string',
    actor_type: { optional: 'string' },
    partner_type: { optional: { nullable: 'string' } },
    dealer_id: { optional: { nullable: 'string' } },
    scopes: { optional: { list: 'string' } },
    operations: { optional: { list: profileOperationSchema } },
  },
};

export const integration = {
  profile: {
    name: 'integration.profile',
    id: 'A01',
    method: 'GET',
    path: '/integration/profile',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    success: [200],
    envelope: 'read',
    reply: { fields: { data: profileSchema, server_time: { optional: 'string' } } },
  },
  capabilities: {
    name: 'integration.capabilities',
    id: 'A02',
    method: 'GET',
    path: '/integration/capabilities',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    success: [200],
    envelope: 'read',
    reply: { fields: { data: capabilitiesSchema, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Identity of the credentials and capabilities of the deployment.
 *
 * To look up an id, such as A01: `npx vehicle-auction-sdk docs A01`.
 */
export class Integration {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads the identity of these credentials: environment, bank, partner, dealer, scopes, permitted
   * operations.
   *
   * The cheapest call to test signing.
   *
   * API: A01, `GET /integration/profile`, scope `integration:read`; "Integration, eligibility, bids, lot
   * status".
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  profile(options?: CallOptions): Promise<Profile> {
    return this.#call<Profile>(integration.profile, {}, options);
  }

  /**
   * Reads the capabilities of this deployment: versions, policies, webhooks and realtime.
   *
   * API: A02, `GET /integration/capabilities`, scope `integration:read`; "Integration, eligibility, bids, lot
   * status".
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  capabilities(options?: CallOptions): Promise<Capabilities> {
    return this.#call<Capabilities>(integration.capabilities, {}, options);
  }
}
