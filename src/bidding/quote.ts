import type { BaseOptions } from '../core/caller.js';
import type { Unresolved } from '../errors/in-doubt.js';
import { InvalidRequestError } from '../errors/local.js';
import { namespaceOf, subjectOf } from '../intents/intent.js';
import { unresolvedOf } from '../intents/refusals.js';
import type { AuctionEvent, EventLot } from '../models/events.js';
import { type BidSituation, bidSituation, minimumBid, nextBids } from '../money/minimum-bid.js';
import type { BiddingParts } from './parts.js';

/** What to quote. */
export interface QuoteRequest {
  /**
   * The lot as `events.lot` or `events.lots` gave it; or as `lots.list` did, which tells no standing, so that it is read;
   * or its public id: then it is read, and `event` must be given.
   */
  readonly lot: string | EventLot;
  /** Its event, or the id of it; read by the lot's `auction_id` when left out. */
  readonly event?: string | AuctionEvent | undefined;
  /** The buyer, where you bid for one. */
  readonly bidderReference?: string | undefined;
  /**
   * For an auction that the bank calls a legacy one, for no field marks it: the previous bid, INR decimal string, or null
   * where there is none.
   */
  readonly legacy?: { readonly previousAmount: string | null } | undefined;
  /** How many amounts, 1 to 1000; 5 when left out. */
  readonly count?: number | undefined;
}

/** The next amounts of a lot. */
export interface Quote {
  /** Public lot id. */
  readonly lot: string;
  readonly bidType: 'open' | 'closed' | 'legacy';
  /** The lowest amount that the rules allow now, INR decimal string. */
  readonly minimum: string;
  /** The lowest valid amounts, ascending; just the minimum where the lot has no grid. */
  readonly amounts: readonly string[];
  /** What they were worked out from. */
  readonly situation: BidSituation;
  /** Earlier bids of the same buyer on this lot whose outcome is unknown: each may stand already. */
  readonly inDoubt: readonly Unresolved[];
  /** What to know before bidding, as sentences; empty where there is nothing. */
  readonly notes: readonly string[];
}

/** Works out the next amounts. */
export async function quote(
  parts: BiddingParts,
  request: QuoteRequest,
  options: BaseOptions,
): Promise<Quote> {
  const { bidderReference, legacy, count = 5 } = checked(request);
  const { event, lot } = await readAs(parts, request, options);
  const situation: BidSituation =
    legacy === undefined
      ? bidSituation(event, lot)
      : {
          bidType: 'legacy',
          startingPrice: lot.starting_price,
          increment: event.bid_increment,
          previousAmount: legacy.previousAmount,
        };
  const inDoubt = await unresolvedOn(parts, lot.id, bidderReference);
  return {
    lot: lot.id,
    bidType: situation.bidType,
    minimum: minimumBid(situation),
    amounts: nextBids(situation, count),
    situation,
    inDoubt,
    notes: notesOf(situation, inDoubt),
  };
}

function checked(request: QuoteRequest): QuoteRequest {
  const { lot, event, count } = Object(request) as QuoteRequest;
  const issues = [];
  if (typeof lot === 'string' && event === undefined) {
    issues.push({ path: 'event', message: 'is required where the lot is given by its id' });
  }
  if (typeof lot !== 'string' && (typeof lot !== 'object' || lot === null)) {
    issues.push({ path: 'lot', message: 'must be an event lot, or its public id' });
  }
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= 1000)) {
    issues.push({ path: 'count', message: 'must be a whole number from 1 to 1000' });
  }
  if (issues.length === 0) return request;
  throw new InvalidRequestError(issues, { call: 'bidding.quote', operation: 'bidding.quote' });
}

async function readAs(
  { events }: BiddingParts,
  { lot: given, event, bidderReference, legacy }: QuoteRequest,
  options: BaseOptions,
): Promise<{ readonly event: AuctionEvent; readonly lot: EventLot }> {
  const query = bidderReference === undefined ? {} : { bidder_reference: bidderReference };
  const lot = typeof given === 'string' || legacy !== undefined || tellsStanding(given) ? given : given.id;
  if (typeof lot === 'string') {
    const auctionId = typeof given === 'string' ? '' : given.auction_id;
    const eventId = typeof event === 'string' ? event : (event?.id ?? auctionId);
    const [read, found] = await Promise.all([
      typeof event === 'object' ? event : events.get(eventId, options),
      events.lot(eventId, lot, query, options),
    ]);
    return { event: read, lot: found };
  }
  if (typeof event === 'object') return { event, lot };
  return { event: await events.get(event ?? lot.auction_id, options), lot };
}

/** Catalogue lots look like event lots, and tell neither the highest nor the own amount. */
function tellsStanding(lot: EventLot): boolean {
  return standingFields.some((field) => lot[field] !== undefined);
}

const standingFields = ['highest_amount', 'own_amount', 'bidder_status', 'channel_status'] as const;

async function unresolvedOn(
  { keeper, dealerId }: BiddingParts,
  lot: string,
  bidderReference: string | undefined,
): Promise<readonly Unresolved[]> {
  const account = await keeper.accountInTime(dealerId);
  const bid = { lot, amount: '', placeBy: 0, ...(bidderReference !== undefined && { bidderReference }) };
  const found: Unresolved[] = [];
  const filter = { namespace: namespaceOf(account), open: true, subject: subjectOf({ account, bid }) };
  for await (const stored of keeper.parts.journal.list(filter)) found.push(unresolvedOf(stored));
  return found;
}

function notesOf({ bidType, ownAmount }: BidSituation, inDoubt: readonly Unresolved[]): string[] {
  const notes = inDoubt.map(
    ({ amount, idempotencyKey }) =>
      `An earlier bid of ${amount} may stand already (key ${idempotencyKey}): reconcile it before you bid.`,
  );
  if (bidType === 'closed') {
    notes.push('Closed auction: the leading amount is hidden, and a valid bid may be below it.');
  }
  if (bidType === 'closed' && ownAmount === undefined) {
    notes.push("The lot was read without the buyer's own amount, so an own earlier bid is not allowed for.");
  }
  return notes;
}
