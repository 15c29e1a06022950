// Generated from src/api by `npm run generate`; edits are lost.

/**
 * What bidders see of each other.
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
 * What this deployment supports.
 *
 * API text: Non-record read shapes.
 */
export interface Capabilities {
  /** Interface versions, such as `v1`. (API: Non-record read shapes) */
  readonly api_versions?: readonly string[];
  /** Version of the bank's policies. (API: Non-record read shapes) */
  readonly policy_version?: string | number;
  /** What bidders see of each other, by auction type. (API: Non-record read shapes) */
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
  /** Operations of the service; item shape not shown. (API: Non-record read shapes) */
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
 * Who these credentials are and what they may do. Never holds a signing secret.
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
  /** Granted scopes; new ones are never added by themselves. (API: Non-record read shapes) */
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
