// Generated from src/api by `npm run generate`; edits are lost.

import type { PublicField, VehicleDetails } from './events.js';

/**
 * State of a lot, in the view of this caller.
 *
 * API text: Non-record read shapes.
 */
export interface LotStatus {
  /** Public lot id. (API: Non-record read shapes) */
  readonly lot_id: string;
  /** State of its auction; the values are undocumented. (API: Non-record read shapes) */
  readonly auction_state?: string;
  /** State of the vehicle in inventory. (API: Non-record read shapes) */
  readonly inventory_state?: string;
  /** Grows with every change; drop a status that carries a lower one. (API: Non-record read shapes) */
  readonly resource_version: number;
  /** Last change, ISO 8601. (API: Non-record read shapes) */
  readonly updated_at?: string;
  /** The close that counts, extensions included, ISO 8601. (API: Non-record read shapes) */
  readonly effective_close_at?: string | null;
  /** Summary of the sale, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly sale?: { readonly [key: string]: unknown } | null;
  /** Summary of the payment, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly payment?: { readonly [key: string]: unknown } | null;
  /** Summary of the release, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly release?: { readonly [key: string]: unknown } | null;
  /** What the caller may do next with this lot. (API: Non-record read shapes) */
  readonly allowed_actions?: readonly string[];
  /** True: a standing is not a sale approval. (API: Non-record read shapes) */
  readonly provisional?: boolean;
  /** The buyer's standing. (API: Non-record read shapes) */
  readonly own_standing?: 'no_bid' | 'leading' | 'outbid' | (string & {}) | null;
  /** The buyer's latest accepted amount, INR decimal string. (API: Non-record read shapes) */
  readonly own_amount?: string | null;
  /**
   * Highest accepted amount, INR decimal string; absent where the visibility policy hides it. (API:
   * Non-record read shapes)
   */
  readonly highest_amount?: string | null;
}

/**
 * One item of a batch of lot statuses.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface LotStatusResult {
  /**
   * Public lot id that was asked for; match by it, not by position. (API: Integration, eligibility, bids, lot
   * status)
   */
  readonly lot_id: string;
  /** HTTP status of this one item, such as 200 or 404. (API: Integration, eligibility, bids, lot status) */
  readonly status: number;
  /** The status; absent when this item failed. (API: Integration, eligibility, bids, lot status) */
  readonly data?: LotStatus;
  /** Why this item failed, such as `NOT_FOUND`. (API: Integration, eligibility, bids, lot status) */
  readonly code?: string;
}

/**
 * A lot as the catalogue lists it, without standing.
 *
 * API text: Lot summary.
 */
export interface LotSummary {
  /** Public lot id (`lot_…`): the one to bid with. (API: Lot summary) */
  readonly id: string;
  /** Public id of its auction. (API: Lot summary) */
  readonly auction_id: string;
  /** Headline of the vehicle. (API: Lot summary) */
  readonly title?: string | null;
  /** What the catalogue files it under. (API: Lot summary) */
  readonly category?: string | null;
  /** Opening price of the lot, INR decimal string. (API: Lot summary) */
  readonly starting_price: string;
  /** `live` in the catalogue, `over` in results. (API: Lot summary) */
  readonly status: 'live' | 'over' | (string & {});
  /** Closing time, ISO 8601 with UTC offset. (API: Lot summary) */
  readonly ends_at?: string;
  /** The vehicle, with the bank's own field labels. (API: Lot summary) */
  readonly vehicle_details?: VehicleDetails;
  /** Absolute URLs of photos; fetch them with a signed GET. Empty: none. (API: Lot summary) */
  readonly images?: readonly string[];
  /** Absolute URLs of documents; fetch them with a signed GET. Empty: none. (API: Lot summary) */
  readonly documents?: readonly string[];
  /** Auction-visible form fields by software field id. (API: Lot summary) */
  readonly public_fields?: { readonly [key: string]: PublicField };
}

/**
 * Query of `lots.list`.
 *
 * API text: Catalogue and events.
 */
export interface LotsListQuery {
  /** Page number, from 1. (API: Catalogue and events) */
  readonly page?: number | undefined;
}

/**
 * Body of `lots.statusBatch`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface LotsStatusBatchBody {
  /** Public lot ids. (API: Integration, eligibility, bids, lot status) */
  readonly lot_ids: readonly string[];
  /** Buyer whose standing is asked for; one a call. (API: Integration, eligibility, bids, lot status) */
  readonly bidder_reference?: string | undefined;
}
