// Generated from src/api by `npm run generate`; edits are lost.

import type { BinaryReply, CallOptions, Caller } from '../core/caller.js';
import type {
  AuctionEvent,
  EventLot,
  EventsListQuery,
  EventsLotQuery,
  EventsLotsQuery,
} from '../models/events.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { events } from '../routes/events.js';

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
   * Live events only, unless `status` says otherwise. Cancelled auctions are never listed.
   *
   * API: `GET /events`, scope `catalogue:read`; "Catalogue and events".
   * @param query What to ask for: `status`, `page`, `per_page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: EventsListQuery = {}, options?: CallOptions): Pager<AuctionEvent> {
    return pagerOf<AuctionEvent>(this.#call, events.list, { query }, options);
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
    return pagerOf<EventLot>(this.#call, events.lots, { path: { event }, query }, options);
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
   * Never to be cached (`private, no-store`). A browser cannot sign: fetch it here and re-serve the bytes.
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
