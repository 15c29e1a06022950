import type { Amount } from '../api/formats.js';
import type { PartnerType } from '../api/operation.js';
import type { BidDetail, BidReceipt } from '../generated/bids.js';
import type { AuctionEvent, EventLot } from '../generated/events.js';
import type { LotStatus, LotSummary } from '../generated/lots.js';
import type { BaseOptions } from '../ports/caller.js';

/** A lot of a reply, or its public id. A record adds its opening price and its close. */
export type LotOrId =
  | string
  | Pick<EventLot, 'id' | 'starting_price'>
  | Pick<LotSummary, 'id' | 'starting_price' | 'ends_at'>
  | Pick<LotStatus, 'lot_id' | 'effective_close_at'>;

interface CommonBidFields {
  readonly lot: LotOrId;
  /** The lot's event, if you have it: the amount is then checked against the bid grid, and the close is known. */
  readonly event?: Pick<AuctionEvent, 'bid_increment' | 'ends_at'> | undefined;
  /** INR decimal string such as `465000` or `465000.50`, or a `Big`; never a number. */
  readonly amount: Amount;
  /** Bidding dealer id, if it isn't the client's. */
  readonly dealerId?: string | undefined;
  /** Time of the buyer's click, ISO 8601 with zone; for the record only. */
  readonly clientBidTime?: string | undefined;
  /**
   * Latest time to send this bid: a Date, ISO 8601 with zone, or Unix ms in server time. After it, the bid is only
   * looked up; also after the known close, unless that has moved. Defaults to two minutes from now.
   */
  readonly placeBy?: Date | string | number | undefined;
}

/** One bid to place. Platforms and aggregators name the buyer, direct dealers can't. */
export type BidToPlace<P extends PartnerType = PartnerType> = CommonBidFields &
  (P extends 'direct_dealer' ? OwnBid : BidForBuyer);

interface BidForBuyer {
  /** Your own stable id of the buyer, such as `buyer-9`: 1 to 120 letters, digits, `_` or `-`. */
  readonly bidderReference: string;
}

interface OwnBid {
  /** Never given: a direct dealer bids for itself. */
  readonly bidderReference?: never;
}

/** Options of `place`. `deadline` limits this call; the bid is limited by `placeBy`. */
export interface PlaceOptions extends BaseOptions {
  /**
   * UUID of this bid; defaults to a new one. The same bid under the same key is never doubled: its outcome is returned,
   * or it is looked up.
   */
  readonly idempotencyKey?: string | undefined;
  /** Places the bid even if an earlier bid of this buyer on this lot is unresolved. You may outbid yourself. */
  readonly allowUnresolved?: boolean | undefined;
  /** Looks up every verdict and refusal before reporting it: one more request (A06) for each bid. */
  readonly confirm?: boolean | undefined;
}

/**
 * The highest amounts that may be at stake. A sum counts the highest open or accepted amount for each buyer
 * and lot, over lots that are not known to be closed. A bid beyond a limit is not sent.
 */
export interface RiskLimits {
  /** For one bid. */
  readonly perBid?: Amount | undefined;
  /** For one buyer over all lots. */
  readonly perBuyer?: Amount | undefined;
  /** On one lot over all buyers. */
  readonly perLot?: Amount | undefined;
}

/** The outcome of one bid, as far as it is known. `unknown` never means that it failed. */
export type BidOutcome = AcceptedBid | RejectedBidOutcome | RefusedBid | UnsentBid | UnknownBid;

/** The outcome of a bid as `bids.place` returns it: its lot and amount are known. */
export type PlacedBid = BidOutcome & { readonly lot: string; readonly amount: string };

interface OutcomeFacts {
  readonly call: 'bids.place';
  /** Public lot id; absent with `amount` if the store doesn't have the key. */
  readonly lot?: string;
  /** INR decimal string. */
  readonly amount?: string;
  /** The platform's buyer. */
  readonly bidderReference?: string;
  readonly idempotencyKey: string;
  /**
   * Environment and `account` label that recorded it, such as `production/bank-2`; absent if they are this client's.
   */
  readonly account?: string;
  /** Every code of a rejection or refusal, the first reason first; empty otherwise. */
  readonly codes: readonly string[];
  /** True if the service answered from its record of the key. */
  readonly replayed: boolean;
  /** Attempts that were begun, in this call and in earlier ones. */
  readonly attempts: number;
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** The service accepted it: a provisional standing, not a sale. Final. */
export interface AcceptedBid extends OutcomeFacts {
  readonly status: 'accepted';
  /** Absent if only the lookup by key answered, in an undocumented form. */
  readonly bidId?: string;
  /** As the service sent it; from a lookup (A06) its fields are undocumented, so all may be missing. */
  readonly receipt?: Partial<BidReceipt>;
}

/** The service judged it and rejected it. Final: never retried, never bid again automatically. */
export interface RejectedBidOutcome extends OutcomeFacts {
  readonly status: 'rejected';
  /** A rejected bid can have an id, too. */
  readonly bidId?: string;
  readonly receipt?: Partial<BidReceipt>;
}

/** The service refused it (access, form) and recorded nothing. You may place it again under its key. */
export interface RefusedBid extends OutcomeFacts {
  readonly status: 'refused';
  /**
   * `coded`: with a documented code or field errors; `uncoded`: a bare 4xx, and one lookup found nothing; `not_recorded`:
   * two lookups found nothing after every copy had expired.
   */
  readonly reason: 'coded' | 'uncoded' | 'not_recorded';
  /** True until two lookups after every copy expired found nothing: until then the service may still show it. */
  readonly provisional: boolean;
  /** HTTP status of the refusal. */
  readonly httpStatus?: number;
}

/** Why a bid was not sent. */
export type UnsentReason =
  /** No connection was made. */
  | 'network'
  /** The call's deadline or the bid's `placeBy` passed first. */
  | 'deadline'
  /** The lot has closed, as far as is known: by its record, its close, or its status (A10). */
  | 'closed'
  | 'aborted'
  /** `bids.halt()` is in force. */
  | 'halted'
  /** A risk limit would have been exceeded. */
  | 'risk_limit'
  /** The process that was about to send it ended first. */
  | 'interrupted'
  /** The store, the clock, the credentials or the service's time failed before anything was sent. */
  | 'failure';

/** It never left this process. You may place it again under its key. */
export interface UnsentBid extends OutcomeFacts {
  readonly status: 'not_sent';
  readonly reason: UnsentReason;
}

/** It may or may not have been recorded: reconcile it, and don't bid for this buyer on this lot before that. */
export interface UnknownBid extends OutcomeFacts {
  readonly status: 'unknown';
  /**
   * `in_doubt`: looking it up may settle it; `stuck`: needs manual resolution; `abandoned`: a person gave it up; `foreign`:
   * recorded under another origin or client id, so only that client can settle it.
   */
  readonly reason: 'in_doubt' | 'stuck' | 'abandoned' | 'foreign';
  /** Results of its lookups so far; absent if no lookup has answered. */
  readonly evidence?: BidEvidence;
}

/** Results of the lookups of an unknown bid. Times are Unix ms in server time. */
export type BidEvidence =
  /** Nothing is recorded under the key; copies of it may be let in until `copiesExpireAt`. */
  | { readonly kind: 'absent'; readonly observedAt: number | undefined; readonly copiesExpireAt: number }
  /** The service is still working on it. */
  | { readonly kind: 'processing'; readonly observedAt: number | undefined }
  /** The lookup by key (A06) gave no answer; `why` in a few words. */
  | { readonly kind: 'lookup_failed'; readonly why: string }
  /**
   * The service may have forgotten the key. These accepted bids have the same lot, buyer and amount; a person has to
   * decide which one is this bid, if any. `complete` is false if the list was too long to read.
   */
  | { readonly kind: 'similar_bids'; readonly bids: readonly BidDetail[]; readonly complete: boolean };
