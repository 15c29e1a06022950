import type { PartnerType } from '../api/operation.js';
import type { BaseOptions } from '../core/caller.js';
import type { AuctionEvent, EventLot } from '../models/events.js';
import type { LotStatus, LotSummary } from '../models/lots.js';

/** A lot as a reply has it, or its public id. A record tells more: its opening price, its close. */
export type LotOrId =
  | string
  | Pick<EventLot, 'id' | 'starting_price'>
  | Pick<LotSummary, 'id' | 'starting_price' | 'ends_at'>
  | Pick<LotStatus, 'lot_id' | 'effective_close_at'>;

interface BidParts {
  readonly lot: LotOrId;
  /** The lot's event, where it is at hand: with it the grid is checked before anything is sent, and its close is known. */
  readonly event?: Pick<AuctionEvent, 'bid_increment' | 'ends_at'> | undefined;
  /** INR decimal string, such as `465000` or `465000.50`; never a number. */
  readonly amount: string;
  /** Bidding dealer id, where it isn't the client's. */
  readonly dealerId?: string | undefined;
  /** When the buyer clicked, ISO 8601 with zone; for the record only. */
  readonly clientBidTime?: string | undefined;
  /** UUID of this bid, its idempotency key. Placed again, it is the same bid: looked at, never doubled. Made when left out. */
  readonly intentId?: string | undefined;
  /**
   * When this bid must have left, at the latest: a Date, ISO 8601 with zone, or Unix ms in server time. After it nothing is sent or resent, only
   * looked up. The earlier of the known close and two minutes from now when left out.
   */
  readonly placeBy?: Date | string | number | undefined;
}

/** One bid to place. Platforms and aggregators name the buyer, direct dealers can't. */
export type BidToPlace<P extends PartnerType = PartnerType> = BidParts &
  (P extends 'direct_dealer' ? OwnBid : BidForBuyer);

interface BidForBuyer {
  /**
   * Your own stable id of the buyer that you bid for, such as `buyer-9`; always the same for the same buyer. Bids on one
   * lot are told apart by it.
   */
  readonly bidderReference: string;
}

interface OwnBid {
  /** Never given: a direct dealer bids for itself. Platforms and aggregators name their buyer here. */
  readonly bidderReference?: never;
}

/** What `place` takes as its last argument. `deadline` limits this call, not the bid: that is `placeBy`. */
export interface PlaceOptions extends BaseOptions {
  /** The same as `intentId`. */
  readonly idempotencyKey?: string | undefined;
  /** Bids although an earlier bid of this buyer on this lot is unresolved, and may so outbid itself. */
  readonly overInDoubt?: boolean | undefined;
}
