// Generated from src/api by `npm run generate`; edits are lost.

import type { PartnerType } from '../api/operation.js';

/**
 * A bid in full.
 *
 * API text: Non-record read shapes.
 */
export interface BidDetail {
  /** Bid id. (API: Non-record read shapes) */
  readonly id: string;
  /** Public lot id. (API: Non-record read shapes) */
  readonly lot_id: string;
  /** The platform's buyer; null for a direct dealer. (API: Non-record read shapes) */
  readonly bidder_reference?: string | null;
  /** Amount of the bid, INR decimal string. (API: Non-record read shapes) */
  readonly amount: string;
  /** Whether the bid was accepted. (API: Non-record read shapes) */
  readonly status: 'accepted' | 'rejected' | (string & {});
  /** Id of the request that recorded the bid. (API: Non-record read shapes) */
  readonly request_id?: string;
  /** When the bid arrived in server time, ISO 8601. (API: Non-record read shapes) */
  readonly server_received_at?: string;
  /** Version of the lot after this bid. (API: Non-record read shapes) */
  readonly lot_version?: number | null;
  /** Every code of the rejection; empty when accepted. (API: Non-record read shapes) */
  readonly errors?: readonly string[];
}

/**
 * A bid as `/bids` lists it.
 *
 * API text: Bid list item.
 */
export interface BidListItem {
  /** Bid id. (API: Bid list item) */
  readonly public_id: string;
  /** The platform's buyer; null for a direct dealer. (API: Bid list item) */
  readonly bidder_reference?: string | null;
  /** Amount of the bid, INR decimal string. (API: Bid list item) */
  readonly amount: string;
  /** Whether the bid was accepted. (API: Bid list item) */
  readonly status: 'accepted' | 'rejected' | (string & {});
  /**
   * `YYYY-MM-DD HH:MM:SS` without offset; its zone is undocumented, so it stays a string. (API: Bid list
   * item)
   */
  readonly created_at?: string;
}

/**
 * What the service knows under an idempotency key.
 *
 * API text: Non-record read shapes.
 */
export interface BidLookup {
  /** The key that was asked for. (API: Non-record read shapes) */
  readonly idempotency_key: string;
  /**
   * What the service knows under the key. `absent` is evidence at `observed_at`, no proof that nothing is in
   * flight. (API: Non-record read shapes)
   */
  readonly state: 'processing' | 'accepted' | 'rejected' | 'absent' | (string & {});
  /** Server time of the lookup, ISO 8601. (API: Non-record read shapes) */
  readonly observed_at?: string;
  /** The recorded bid, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly receipt?: { readonly [key: string]: unknown } | null;
  /** The service's advice on retrying, as text. (API: Non-record read shapes) */
  readonly retry?: string | null;
}

/**
 * What the bidding authority recorded for a bid.
 *
 * API text: Bid submission response envelope.
 */
export interface BidReceipt {
  /** Id of the request that recorded the bid. (API: Bid submission response envelope) */
  readonly request_id?: string;
  /** Bid id; not proof of acceptance. (API: Bid submission response envelope) */
  readonly bid_id: string;
  /** `accepted`: the bid is accepted, provisionally. (API: Bid submission response envelope) */
  readonly status: 'accepted' | 'rejected' | (string & {});
  /** When the bid arrived in server time, ISO 8601. (API: Bid submission response envelope) */
  readonly server_received_at?: string;
  /** Version of the lot after this bid. (API: Bid submission response envelope) */
  readonly lot_version: number;
  /** The close that counts, extensions included, ISO 8601. (API: Bid submission response envelope) */
  readonly effective_close_at?: string | null;
  /**
   * True when this idempotency key had been recorded before: by an earlier attempt of the same call
   * (`responseOf(receipt).attempts` is above 1 then), or by an earlier call. The other fields of a replay can
   * be as old as the bid. (API: Bid submission response envelope)
   */
  readonly replayed?: boolean;
  /** The buyer's standing, provisional. (API: Bid submission response envelope) */
  readonly bidder_status?: 'no_bid' | 'leading' | 'outbid' | (string & {}) | null;
  /** The standing of the caller's channel. (API: Bid submission response envelope) */
  readonly channel_status?: 'no_bid' | 'leading' | (string & {}) | null;
  /**
   * Highest accepted amount in INR, as a decimal string; hidden in closed auctions. (API: Bid submission
   * response envelope)
   */
  readonly highest_amount?: string | null;
  /**
   * Current amount in INR; only with open visibility. A number on the wire, a decimal string in this SDK.
   * (API: Bid submission response envelope)
   */
  readonly current_amount?: string | null;
}

/**
 * A bid cancellation request and its decision.
 *
 * API text: Workflow record.
 */
export interface CancellationData {
  /** The bid to be cancelled. (API: Workflow record) */
  readonly bid_id?: string;
  /** Why, as a code; the allowed values are undocumented. (API: Workflow record) */
  readonly reason_code?: string;
  /** Why, in words. (API: Workflow record) */
  readonly explanation?: string | null;
  /** Version of the policy that applies. (API: Workflow record) */
  readonly policy_version?: string | number;
  /** The bank's decision, once made. (API: Workflow record) */
  readonly decision?: 'approved' | (string & {}) | null;
  /** The bank's reason, once decided. (API: Workflow record) */
  readonly reason?: string | null;
}

/**
 * A bid cancellation request, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface CancellationRecord {
  /** Id of a bid cancellation request. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'cancellation' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'pending' | 'approved' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: CancellationData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * What the bidding authority recorded for a rejected bid.
 *
 * API text: Bid submission response envelope.
 */
export interface RejectedBid {
  /** Id of the request that recorded the bid. (API: Bid submission response envelope) */
  readonly request_id?: string;
  /** Bid id; a rejected bid can have one too. (API: Bid submission response envelope) */
  readonly bid_id?: string | null;
  /** `rejected`: judged and turned down, for good. (API: Bid submission response envelope) */
  readonly status: 'rejected' | (string & {});
  /** When the bid arrived in server time, ISO 8601. (API: Bid submission response envelope) */
  readonly server_received_at?: string;
  /** Version of the lot after this bid. (API: Bid submission response envelope) */
  readonly lot_version?: number | null;
  /** The close that counts, extensions included, ISO 8601. (API: Bid submission response envelope) */
  readonly effective_close_at?: string | null;
  /**
   * True when this idempotency key had been recorded before: by an earlier attempt of the same call
   * (`responseOf(receipt).attempts` is above 1 then), or by an earlier call. The other fields of a replay can
   * be as old as the bid. (API: Bid submission response envelope)
   */
  readonly replayed?: boolean;
  /** The buyer's standing, provisional. (API: Bid submission response envelope) */
  readonly bidder_status?: 'no_bid' | 'leading' | 'outbid' | (string & {}) | null;
  /** The standing of the caller's channel. (API: Bid submission response envelope) */
  readonly channel_status?: 'no_bid' | 'leading' | (string & {}) | null;
  /**
   * Highest accepted amount in INR, as a decimal string; hidden in closed auctions. (API: Bid submission
   * response envelope)
   */
  readonly highest_amount?: string | null;
  /**
   * Current amount in INR; only with open visibility. A number on the wire, a decimal string in this SDK.
   * (API: Bid submission response envelope)
   */
  readonly current_amount?: string | null;
}

/**
 * Body of `bids.submit` for a direct dealer: without `bidder_reference`.
 *
 * API text: Bids.
 */
export interface DealerBidsSubmitBody {
  /**
   * Amount of the bid, INR decimal string: positive, at most 12 integer digits and 2 decimals. (API: Bids)
   */
  readonly amount: string;
  /** Left out: a direct dealer bids for itself. */
  readonly bidder_reference?: never;
  /** The buyer's own time of bidding, ISO 8601 with zone; never decides eligibility. (API: Bids) */
  readonly client_bid_time?: string | undefined;
  /**
   * Bank-issued bidding dealer id, at most 32 characters. Taken from the client when left out. (API: Bids)
   */
  readonly dealer_id?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Bids)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `bids.submit` for a platform or aggregator: with `bidder_reference`.
 *
 * API text: Bids.
 */
export interface PlatformBidsSubmitBody {
  /**
   * Amount of the bid, INR decimal string: positive, at most 12 integer digits and 2 decimals. (API: Bids)
   */
  readonly amount: string;
  /**
   * Stable identity of the actual buyer, 1 to 120 of letters, digits, `_`, `-`: platforms and aggregators
   * must send it, direct dealers must leave it out. (API: Bids)
   */
  readonly bidder_reference: string;
  /** The buyer's own time of bidding, ISO 8601 with zone; never decides eligibility. (API: Bids) */
  readonly client_bid_time?: string | undefined;
  /**
   * Bank-issued bidding dealer id, at most 32 characters. Taken from the client when left out. (API: Bids)
   */
  readonly dealer_id?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Bids)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `bids.submit`, by kind of partner.
 *
 * API text: Bids.
 */
export type BidsSubmitBody<P extends PartnerType = PartnerType> = P extends 'direct_dealer'
  ? DealerBidsSubmitBody
  : PlatformBidsSubmitBody;

/**
 * Query of `bids.list`.
 *
 * API text: Bids.
 */
export interface BidsListQuery {
  /** Only bids of this buyer of the platform. (API: Bids) */
  readonly bidder_reference?: string | undefined;
  /** Page number, from 1. (API: Bids) */
  readonly page?: number | undefined;
}

/**
 * Body of `bids.requestCancellation`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface BidsRequestCancellationBody {
  /**
   * Why, as a code; the allowed values are undocumented. (API: Integration, eligibility, bids, lot status)
   */
  readonly reason_code: string;
  /** Why, in words. (API: Integration, eligibility, bids, lot status) */
  readonly explanation?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Integration, eligibility, bids, lot status)
   */
  readonly idempotency_key?: string | undefined;
}
