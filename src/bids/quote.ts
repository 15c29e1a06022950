import type { Amount } from '../api/formats.js';
import { InvalidRequestError, type Unresolved } from '../errors/local.js';
import type { AuctionEvent, EventLot } from '../generated/events.js';
import { unresolvedOf } from '../intents/answers.js';
import { type BidSituation, bidSituation, minimumBid, nextBids } from '../money/minimum-bid.js';
import type { BaseOptions } from '../ports/caller.js';
import type { BidPorts } from './ports.js';

/** The lot and the buyer to quote for. */
export interface QuoteRequest {
  /**
   * The lot from `events.lot` or `events.lots`; from `lots.list`, which has no standing, so it is read; or its public
   * id, which requires `event`.
   */
  readonly lot: string | EventLot;
  /** Its event, or the event's id. By default it is read by the lot's `auction_id`. */
  readonly event?: string | AuctionEvent | undefined;
  /** The buyer, if you bid for one. */
  readonly bidderReference?: string | undefined;
  /** For a legacy auction, which no field marks: the previous bid, or null if there is none. */
  readonly legacy?: { readonly previousAmount: Amount | null } | undefined;
  /** How many amounts, 1 to 1000; defaults to 5. */
  readonly count?: number | undefined;
}

/** The next amounts of a lot. */
export interface Quote {
  /** Public lot id. */
  readonly lot: string;
  readonly bidType: 'open' | 'closed' | 'legacy';
  /** The lowest amount that the rules allow now, INR decimal string. */
  readonly minimum: string;
  /** The lowest valid amounts, ascending; only the minimum if the lot has no grid. */
  readonly amounts: readonly string[];
  /** The facts that the amounts were calculated from. */
  readonly situation: BidSituation;
  /** Earlier bids of the same buyer on this lot whose outcome is unknown: each may be recorded already. */
  readonly inDoubt: readonly Unresolved[];
  /** Notes before bidding, as sentences; empty if there are none. */
  readonly notes: readonly string[];
}

/** Calculates the next amounts. */
export async function quote(
  parts: BidPorts,
  dealerId: string,
  request: QuoteRequest,
  options: BaseOptions,
): Promise<Quote> {
  const { bidderReference, legacy, count = 5 } = checkedRequest(request);
  const { event, lot } = await readFor(parts, request, options);
  const situation: BidSituation =
    legacy === undefined
      ? bidSituation(event, lot)
      : {
          bidType: 'legacy',
          startingPrice: lot.starting_price,
          increment: event.bid_increment,
          previousAmount: legacy.previousAmount,
        };
  const { ledger } = parts.recording;
  const open = await ledger.within((tx) => tx.intents.openBids(lot.id, bidderReference ?? dealerId));
  const inDoubt = open.flatMap((row) => {
    const intent = ledger.intentOf(row);
    return intent === undefined ? [] : [unresolvedOf(intent)];
  });
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

function checkedRequest(request: QuoteRequest): QuoteRequest {
  const issues = [];
  const given: Partial<QuoteRequest> = typeof request === 'object' && request !== null ? request : {};
  const { lot, event, count } = given;
  if (typeof lot === 'string' && event === undefined) {
    issues.push({ path: 'event', message: 'is required if the lot is given by its id' });
  }
  if (typeof lot !== 'string' && (typeof lot !== 'object' || lot === null)) {
    issues.push({ path: 'lot', message: 'must be an event lot, or its public id' });
  }
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= 1000)) {
    issues.push({ path: 'count', message: 'must be a whole number from 1 to 1000' });
  }
  if (issues.length === 0) return request;
  throw new InvalidRequestError(issues, { call: 'bids.quote', operation: 'bids.quote' });
}

async function readFor(
  { events }: BidPorts,
  { lot: given, event, bidderReference, legacy }: QuoteRequest,
  options: BaseOptions,
): Promise<{ readonly event: AuctionEvent; readonly lot: EventLot }> {
  const query = bidderReference === undefined ? {} : { bidder_reference: bidderReference };
  const lot = typeof given === 'string' || legacy !== undefined || hasStanding(given) ? given : given.id;
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

/** Catalogue lots look like event lots but have neither the highest nor the own amount. */
function hasStanding(lot: EventLot): boolean {
  return standingFields.some((field) => lot[field] !== undefined);
}

const standingFields = ['highest_amount', 'own_amount', 'bidder_status', 'channel_status'] as const;

function notesOf({ bidType, ownAmount }: BidSituation, inDoubt: readonly Unresolved[]): string[] {
  const notes = inDoubt.map(
    ({ amount, idempotencyKey }) =>
      `An earlier bid of ${amount} may be recorded already (key ${idempotencyKey}): reconcile it before you bid.`,
  );
  if (bidType === 'closed') {
    notes.push('Closed auction: the leading amount is hidden, and a valid bid may be below it.');
  }
  if (bidType === 'closed' && ownAmount === undefined) {
    notes.push(
      "The lot was read without the buyer's own amount, so an earlier bid of the buyer is not considered.",
    );
  }
  return notes;
}
