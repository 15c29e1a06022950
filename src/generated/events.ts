// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { BinaryReply, CallOptions, Caller } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';

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
  /** Phase of the auction in server time. Bids are accepted while `live`. (API: Event) */
  readonly status: 'upcoming' | 'live' | 'over' | (string & {});
  /** IANA zone name, for display only. (API: Event) */
  readonly timezone?: string;
  /** Opening time (inclusive), ISO 8601 with UTC offset. (API: Event) */
  readonly starts_at?: string;
  /** Closing time (exclusive), ISO 8601 with UTC offset; the bank may extend or shorten it. (API: Event) */
  readonly ends_at?: string;
  /** Step between valid amounts, INR decimal string; zero means no grid. (API: Event) */
  readonly bid_increment: string;
  /** Number of lots that these credentials can see. (API: Event) */
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
  /** Public lot id (`lot_…`), used to bid. (API: Event lot) */
  readonly id: string;
  /** Public id of its auction. (API: Event lot) */
  readonly auction_id: string;
  /** The vehicle, with the bank's own field labels. (API: Event lot) */
  readonly vehicle_details?: VehicleDetails;
  /** Absolute URLs of photos, for a signed GET. Empty if there are none. (API: Event lot) */
  readonly images?: readonly string[];
  /** Absolute URLs of documents, for a signed GET. Empty if there are none. (API: Event lot) */
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
  /** Opening price of the lot and start of its bid grid, INR decimal string. (API: Event lot) */
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
  /** Saved value, of any type. (API: Event lot) */
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
  /** The bank's description of the vehicle's condition. (API: Event lot) */
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
   * Status filter; `active` (the default) means live. `scheduled` and `ended` are legacy aliases. (API:
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
  /**
   * Matches registration, make or model; at most 100 characters. White space around it is removed, and an
   * empty one is left out. (API: Catalogue and events)
   */
  readonly search?: string | undefined;
  /** Buyer whose standing to return; platforms and aggregators only. (API: Catalogue and events) */
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
  /** Buyer whose standing to return; platforms and aggregators only. (API: Catalogue and events) */
  readonly bidder_reference?: string | undefined;
}

export const auctionEventSchema: ObjectSchema = {
  fields: {
    id: 'string',
    name: { optional: 'string' },
    reference: { optional: 'string' },
    distribution_mode: { optional: 'string' },
    bid_type: { optional: 'string' },
    status: 'string',
    timezone: { optional: 'string' },
    starts_at: { optional: 'string' },
    ends_at: { optional: 'string' },
    bid_increment: 'money',
    eligible_lots_count: { optional: 'int' },
    revision: 'int',
  },
};

export const publicFieldSchema: ObjectSchema = {
  fields: { label: { optional: 'string' }, value: { optional: 'unknown' } },
};

export const vehicleDetailsSchema: ObjectSchema = {
  fields: {
    registration_number: { optional: { nullable: 'string' } },
    make: { optional: { nullable: 'string' } },
    model: { optional: { nullable: 'string' } },
    year: { optional: { nullable: { either: ['int', 'string'] } } },
    region: { optional: { nullable: 'string' } },
    vehicle_type: { optional: { nullable: 'string' } },
    yard: { optional: { nullable: 'string' } },
    title: { optional: { nullable: 'string' } },
    bank_reference: { optional: { nullable: 'string' } },
    condition: { optional: 'unknown' },
  },
};

export const eventLotSchema: ObjectSchema = {
  fields: {
    id: 'string',
    auction_id: 'string',
    vehicle_details: { optional: vehicleDetailsSchema },
    images: { optional: { list: 'string' } },
    documents: { optional: { list: 'string' } },
    public_fields: { optional: { map: publicFieldSchema } },
    registration_number: { optional: { nullable: 'string' } },
    make: { optional: { nullable: 'string' } },
    model: { optional: { nullable: 'string' } },
    year: { optional: { nullable: 'int' } },
    region: { optional: { nullable: 'string' } },
    vehicle_type: { optional: { nullable: 'string' } },
    starting_price: 'money',
    own_amount: { optional: { nullable: 'money' } },
    bidder_status: { optional: 'string' },
    channel_status: { optional: 'string' },
    provisional: { optional: 'boolean' },
    highest_amount: { optional: { nullable: 'money' } },
  },
};

export const events = {
  list: {
    name: 'events.list',
    id: 'events.list',
    method: 'GET',
    path: '/events',
    availability: 'callable',
    effect: 'read',
    query: {
      fields: {
        status: { optional: { values: ['all', 'upcoming', 'live', 'over', 'active', 'scheduled', 'ended'] } },
        page: { optional: 'positive' },
        per_page: { optional: 'perPage' },
      },
    },
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: auctionEventSchema },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  get: {
    name: 'events.get',
    id: 'events.get',
    method: 'GET',
    path: '/events/{event}',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId' },
    success: [200],
    envelope: 'object',
    reply: { fields: { data: auctionEventSchema } },
  },
  lots: {
    name: 'events.lots',
    id: 'events.lots',
    method: 'GET',
    path: '/events/{event}/lots',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId' },
    query: {
      fields: {
        search: { optional: 'search' },
        bidder_reference: { optional: 'bidderReference' },
        page: { optional: 'positive' },
        per_page: { optional: 'perPage' },
      },
    },
    asksForBuyer: true,
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: eventLotSchema },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  lot: {
    name: 'events.lot',
    id: 'events.lot',
    method: 'GET',
    path: '/events/{event}/lots/{lot}',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId', lot: 'pathId' },
    query: { fields: { bidder_reference: { optional: 'bidderReference' } } },
    asksForBuyer: true,
    success: [200],
    envelope: 'object',
    reply: { fields: { data: eventLotSchema } },
  },
  media: {
    name: 'events.media',
    id: 'events.media',
    method: 'GET',
    path: '/events/{event}/lots/{lot}/media/{media}',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId', lot: 'pathId', media: 'integerId' },
    success: [200],
    envelope: 'binary',
  },
} satisfies Readonly<Record<string, Route>>;

/** Auction events and the lots in them. */
export class Events {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the auction events that have lots assigned to these credentials.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * By default, lists only live events. Cancelled auctions are never listed.
   *
   * API: `GET /events`, scope `catalogue:read`; "Catalogue and events".
   * @param query What to ask for: `status`, `page`, `per_page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: EventsListQuery = {}, options?: CallOptions): Pager<AuctionEvent> {
    return this.#call.pager<AuctionEvent>(events.list, { query }, options);
  }

  /**
   * Reads one auction event.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: `GET /events/{event}`, scope `catalogue:read`; "Catalogue and events".
   * @param event Public auction id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(event: string, options?: CallOptions): Promise<AuctionEvent> {
    return this.#call<AuctionEvent>(events.get, { path: { event } }, options);
  }

  /**
   * Lists the lots of an event that are assigned to these credentials.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: `GET /events/{event}/lots`, scope `catalogue:read`; "Catalogue and events".
   * @param event Public auction id.
   * @param query What to ask for: `search`, `bidder_reference`, `page`, `per_page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  lots(event: string, query: EventsLotsQuery = {}, options?: CallOptions): Pager<EventLot> {
    return this.#call.pager<EventLot>(events.lots, { path: { event }, query }, options);
  }

  /**
   * Reads one lot of an event, with the caller's own standing.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: `GET /events/{event}/lots/{lot}`, scope `catalogue:read`; "Catalogue and events".
   * @param event Public auction id.
   * @param lot Public lot id; not an inventory vehicle id.
   * @param query What to ask for: `bidder_reference`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  lot(event: string, lot: string, query: EventsLotQuery = {}, options?: CallOptions): Promise<EventLot> {
    return this.#call<EventLot>(events.lot, { path: { event, lot }, query }, options);
  }

  /**
   * Streams a photo or document of a lot.
   *
   * Do not cache the file (`private, no-store`). Browsers cannot sign requests, so fetch it here and serve
   * the bytes yourself.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: `GET /events/{event}/lots/{lot}/media/{media}`, scope `catalogue:read`; "Catalogue and events".
   * @param event Public auction id.
   * @param lot Public lot id; not an inventory vehicle id.
   * @param media Media id authorised for the lot, an integer.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  media(event: string, lot: string, media: number | string, options?: CallOptions): Promise<BinaryReply> {
    return this.#call<BinaryReply>(events.media, { path: { event, lot, media } }, options);
  }
}
