// Generated from src/api by `npm run generate`; edits are lost.

/**
 * An auction event.
 *
 * API text: Event.
 */
export interface AuctionEvent {
  /** Public auction id (`auc_…`), opaque. (API: Event) */
  readonly id: string;
  /** Display name. (API: Event) */
  readonly name?: string;
  /** Reference of the auction. (API: Event) */
  readonly reference?: string;
  /** How the auction is distributed to partners. (API: Event) */
  readonly distribution_mode?: 'syndicated' | (string & {});
  /** `open` shows the highest amount to bidders, `closed` hides it. (API: Event) */
  readonly bid_type?: 'open' | 'closed' | (string & {});
  /** Its phase in server time; bids are taken while `live`. (API: Event) */
  readonly status: 'upcoming' | 'live' | 'over' | (string & {});
  /** IANA zone name, for display only. (API: Event) */
  readonly timezone?: string;
  /** Opening time (inclusive), ISO 8601 with UTC offset. (API: Event) */
  readonly starts_at?: string;
  /** Closing time (exclusive), ISO 8601 with UTC offset; the bank may extend or shorten it. (API: Event) */
  readonly ends_at?: string;
  /** Step between valid amounts, INR decimal string; zero means no grid. (API: Event) */
  readonly bid_increment: string;
  /** How many lots of it these credentials may see. (API: Event) */
  readonly eligible_lots_count?: number;
  /** Revision of the event. (API: Event) */
  readonly revision: number;
}

/**
 * A lot inside its event, with the caller's own standing.
 *
 * API text: Event lot.
 */
export interface EventLot {
  /** Public lot id (`lot_…`): the one to bid with. (API: Event lot) */
  readonly id: string;
  /** Public id of its auction. (API: Event lot) */
  readonly auction_id: string;
  /** The vehicle, with the bank's own field labels. (API: Event lot) */
  readonly vehicle_details?: VehicleDetails;
  /** Absolute URLs of photos; fetch them with a signed GET. Empty: none. (API: Event lot) */
  readonly images?: readonly string[];
  /** Absolute URLs of documents; fetch them with a signed GET. Empty: none. (API: Event lot) */
  readonly documents?: readonly string[];
  /** Auction-visible form fields by software field id. (API: Event lot) */
  readonly public_fields?: { readonly [key: string]: PublicField };
  /** Registration plate. (API: Event lot) */
  readonly registration_number?: string | null;
  /** Manufacturer. (API: Event lot) */
  readonly make?: string | null;
  /** Model. (API: Event lot) */
  readonly model?: string | null;
  /** Year of manufacture. (API: Event lot) */
  readonly year?: number | null;
  /** Region that it belongs to or is in. (API: Event lot) */
  readonly region?: string | null;
  /** Kind of vehicle. (API: Event lot) */
  readonly vehicle_type?: string | null;
  /** Opening price of the lot, INR decimal string: where its bid grid begins. (API: Event lot) */
  readonly starting_price: string;
  /**
   * The caller's latest accepted amount, INR decimal string; absent for a platform without bidder_reference.
   * (API: Event lot)
   */
  readonly own_amount?: string | null;
  /** The buyer's standing, provisional; absent for a platform without bidder_reference. (API: Event lot) */
  readonly bidder_status?: 'no_bid' | 'leading' | 'outbid' | (string & {});
  /**
   * The standing of the caller's channel as a whole; one buyer's `bidder_status` may differ. (API: Event lot)
   */
  readonly channel_status?: 'no_bid' | 'leading' | (string & {});
  /** True: a standing is not a sale approval. (API: Event lot) */
  readonly provisional?: boolean;
  /**
   * Highest accepted amount, INR decimal string; null without bids; absent in closed auctions. (API: Event
   * lot)
   */
  readonly highest_amount?: string | null;
}

/**
 * An auction-visible form field.
 *
 * API text: Event lot.
 */
export interface PublicField {
  /** Label as the bank shows it. (API: Event lot) */
  readonly label?: string;
  /** Saved value, of whatever type. (API: Event lot) */
  readonly value?: unknown;
}

/**
 * Standard keys, plus the bank's own field labels as further keys; values keep their saved types.
 *
 * API text: Event lot.
 */
export interface VehicleDetails {
  /** Registration plate. (API: Event lot) */
  readonly registration_number?: string | null;
  /** Manufacturer. (API: Event lot) */
  readonly make?: string | null;
  /** Model. (API: Event lot) */
  readonly model?: string | null;
  /** Year of manufacture. (API: Event lot) */
  readonly year?: number | string | null;
  /** Region that it belongs to or is in. (API: Event lot) */
  readonly region?: string | null;
  /** Kind of vehicle. (API: Event lot) */
  readonly vehicle_type?: string | null;
  /** Yard where the vehicle is parked. (API: Event lot) */
  readonly yard?: string | null;
  /** Headline of the vehicle. (API: Event lot) */
  readonly title?: string | null;
  /** The bank's reference of the vehicle. (API: Event lot) */
  readonly bank_reference?: string | null;
  /** The bank's description of its condition. (API: Event lot) */
  readonly condition?: unknown;
  /** A field label of the bank. */
  readonly [field: string]: unknown;
}

/**
 * Query of `events.list`.
 *
 * API text: Catalogue and events.
 */
export interface EventsListQuery {
  /**
   * Which events; `active` (the default) means live. `scheduled` and `ended` are legacy aliases. (API:
   * Catalogue and events)
   */
  readonly status?: 'all' | 'upcoming' | 'live' | 'over' | 'active' | 'scheduled' | 'ended' | undefined;
  /** Page number, from 1. (API: Catalogue and events) */
  readonly page?: number | undefined;
  /** Items per page, 1 to 100; defaults to 25. (API: Catalogue and events) */
  readonly per_page?: number | undefined;
}

/**
 * Query of `events.lots`.
 *
 * API text: Catalogue and events.
 */
export interface EventsLotsQuery {
  /** Matches registration, make or model; at most 100 characters. (API: Catalogue and events) */
  readonly search?: string | undefined;
  /** Buyer whose standing is asked for; platforms and aggregators only. (API: Catalogue and events) */
  readonly bidder_reference?: string | undefined;
  /** Page number, from 1. (API: Catalogue and events) */
  readonly page?: number | undefined;
  /** Items per page, 1 to 100; defaults to 25. (API: Catalogue and events) */
  readonly per_page?: number | undefined;
}

/**
 * Query of `events.lot`.
 *
 * API text: Catalogue and events.
 */
export interface EventsLotQuery {
  /** Buyer whose standing is asked for; platforms and aggregators only. (API: Catalogue and events) */
  readonly bidder_reference?: string | undefined;
}
