// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';
import type { PublicField, VehicleDetails } from './events.js';
import { publicFieldSchema, vehicleDetailsSchema } from './events.js';

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
  /** Increments with every change. Drop a status with a lower version. (API: Non-record read shapes) */
  readonly resource_version: number;
  /** Last change, ISO 8601. (API: Non-record read shapes) */
  readonly updated_at?: string;
  /** Effective close including extensions, ISO 8601. (API: Non-record read shapes) */
  readonly effective_close_at?: string | null;
  /** Summary of the sale, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly sale?: { readonly [key: string]: unknown } | null;
  /** Summary of the payment, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly payment?: { readonly [key: string]: unknown } | null;
  /** Summary of the release, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly release?: { readonly [key: string]: unknown } | null;
  /** Next actions that the caller can take on this lot. (API: Non-record read shapes) */
  readonly allowed_actions?: readonly string[];
  /** True: a standing is not a sale approval. (API: Non-record read shapes) */
  readonly provisional?: boolean;
  /** The buyer's standing. (API: Non-record read shapes) */
  readonly own_standing?: 'no_bid' | 'leading' | 'outbid' | (string & {}) | null;
  /** The buyer's latest accepted amount, INR decimal string. (API: Non-record read shapes) */
  readonly own_amount?: string | null;
  /**
   * Highest accepted amount, INR decimal string; absent if the visibility policy hides it. (API: Non-record
   * read shapes)
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
   * Requested public lot id. Match items by id, not by position. (API: Integration, eligibility, bids, lot
   * status)
   */
  readonly lot_id: string;
  /** HTTP status of this one item, such as 200 or 404. (API: Integration, eligibility, bids, lot status) */
  readonly status: number;
  /** The status; absent when this item failed. (API: Integration, eligibility, bids, lot status) */
  readonly data?: LotStatus;
  /** Error code of a failed item, such as `NOT_FOUND`. (API: Integration, eligibility, bids, lot status) */
  readonly code?: string;
}

/**
 * A lot in the catalogue, without standings.
 *
 * API text: Lot summary.
 */
export interface LotSummary {
  /** Public lot id (`lot_…`), used to bid. (API: Lot summary) */
  readonly id: string;
  /** Public id of its auction. (API: Lot summary) */
  readonly auction_id: string;
  /** Headline of the vehicle. (API: Lot summary) */
  readonly title?: string | null;
  /** Category in the catalogue. (API: Lot summary) */
  readonly category?: string | null;
  /** Opening price of the lot, INR decimal string. (API: Lot summary) */
  readonly starting_price: string;
  /** `live` in the catalogue, `over` in results. (API: Lot summary) */
  readonly status: 'live' | 'over' | (string & {});
  /** Closing time, ISO 8601 with UTC offset. (API: Lot summary) */
  readonly ends_at?: string;
  /** The vehicle, with the bank's own field labels. (API: Lot summary) */
  readonly vehicle_details?: VehicleDetails;
  /** Absolute URLs of photos, for a signed GET. Empty if there are none. (API: Lot summary) */
  readonly images?: readonly string[];
  /** Absolute URLs of documents, for a signed GET. Empty if there are none. (API: Lot summary) */
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
  /** Buyer whose standing to return; one per call. (API: Integration, eligibility, bids, lot status) */
  readonly bidder_reference?: string | undefined;
}

export const lotStatusSchema: ObjectSchema = {
  fields: {
    lot_id: 'string',
    auction_state: { optional: 'string' },
    inventory_state: { optional: 'string' },
    resource_version: 'int',
    updated_at: { optional: 'string' },
    effective_close_at: { optional: { nullable: 'string' } },
    sale: { optional: { nullable: { map: 'unknown' } } },
    payment: { optional: { nullable: { map: 'unknown' } } },
    release: { optional: { nullable: { map: 'unknown' } } },
    allowed_actions: { optional: { list: 'string' } },
    provisional: { optional: 'boolean' },
    own_standing: { optional: { nullable: 'string' } },
    own_amount: { optional: { nullable: 'money' } },
    highest_amount: { optional: { nullable: 'money' } },
  },
};

export const lotStatusResultSchema: ObjectSchema = {
  fields: {
    lot_id: 'string',
    status: 'int',
    data: { optional: lotStatusSchema },
    code: { optional: 'string' },
  },
};

export const lotSummarySchema: ObjectSchema = {
  fields: {
    id: 'string',
    auction_id: 'string',
    title: { optional: { nullable: 'string' } },
    category: { optional: { nullable: 'string' } },
    starting_price: 'money',
    status: 'string',
    ends_at: { optional: 'string' },
    vehicle_details: { optional: vehicleDetailsSchema },
    images: { optional: { list: 'string' } },
    documents: { optional: { list: 'string' } },
    public_fields: { optional: { map: publicFieldSchema } },
  },
};

export const lots = {
  list: {
    name: 'lots.list',
    id: 'lots.list',
    method: 'GET',
    path: '/lots',
    availability: 'callable',
    effect: 'read',
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: lotSummarySchema },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  status: {
    name: 'lots.status',
    id: 'A10',
    method: 'GET',
    path: '/lots/{lot}/status',
    availability: 'callable',
    effect: 'read',
    actors: ['partner'],
    params: { lot: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: lotStatusSchema, server_time: { optional: 'string' } } },
  },
  statusBatch: {
    name: 'lots.statusBatch',
    id: 'A11',
    method: 'POST',
    path: '/lots/status-batch',
    availability: 'callable',
    effect: 'read',
    actors: ['partner'],
    body: {
      fields: {
        lot_ids: { list: 'filled', empty: 'must name at least one lot' },
        bidder_reference: { optional: 'bidderReference' },
      },
    },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: { list: lotStatusResultSchema }, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/** Lots across all permitted auctions, and their status. */
export class Lots {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the lots of all auctions that these credentials can access, 25 per page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * API: `GET /lots`, scope `catalogue:read`; "Catalogue and events".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: LotsListQuery = {}, options?: CallOptions): Pager<LotSummary> {
    return this.#call.pager<LotSummary>(lots.list, { query }, options);
  }
}

/**
 * Lots across all permitted auctions, and their status. As a partner calls it.
 *
 * To look up an id, such as A10: `npx vehicle-auction-sdk docs A10`.
 */
export class PartnerLots extends Lots {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Reads the status of a lot: auction, sale, payment, release and allowed actions.
   *
   * Fields are projected by role and visibility policy.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: A10, `GET /lots/{lot}/status`, scope `lot-status:read`; "Integration, eligibility, bids, lot
   * status".
   * @param lot Public lot id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  status(lot: string, options?: CallOptions): Promise<LotStatus> {
    return this.#call<LotStatus>(lots.status, { path: { lot } }, options);
  }

  /**
   * Reads the status of many lots in one call; each item succeeds or fails separately.
   *
   * This read is sent as POST. It changes nothing and needs no idempotency key. The proposed maximum is 100
   * lots.
   *
   * API: A11, `POST /lots/status-batch`, scope `lot-status:read`; "Integration, eligibility, bids, lot
   * status".
   * @param body What to send: `lot_ids`, `bidder_reference`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  statusBatch(body: LotsStatusBatchBody, options?: CallOptions): Promise<readonly LotStatusResult[]> {
    return this.#call<readonly LotStatusResult[]>(lots.statusBatch, { body }, options);
  }
}
