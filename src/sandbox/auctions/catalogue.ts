import { rupees } from '../money.js';
import type { Party } from '../parties.js';
import type { Auction, Bid, Lot } from '../records.js';
import type { World } from '../world.js';

export type EventStatus = 'upcoming' | 'live' | 'over';

/** Status of an auction. It is live from its start (inclusive) to its close (exclusive). */
export function statusAt(auction: Pick<Auction, 'startsAt' | 'endsAt'>, now: number): EventStatus {
  if (now < auction.startsAt) return 'upcoming';
  return now < auction.endsAt ? 'live' : 'over';
}

/** Whether an auction belongs to the caller's bank and, for a partner, is assigned to it. */
export function isAssigned(auction: Auction, party: Party): boolean {
  if (auction.bankId !== party.bankId) return false;
  return party.actor === 'bank' || party.facts.auctions.includes(auction.id);
}

/** Whether the caller can see an auction. Auctions without listed lots are hidden. */
export function isVisible(auction: Auction, party: Party): boolean {
  return isAssigned(auction, party) && !auction.cancelled && auction.lots.some(isListed);
}

/** Auctions that the caller can see, by start. */
export function visibleAuctions({ store }: World, party: Party): Auction[] {
  return [...store.auctions.values()]
    .filter((auction) => isVisible(auction, party))
    .sort((a, b) => a.startsAt - b.startsAt || (a.id < b.id ? -1 : 1));
}

/** Whether a lot is listed and takes bids. */
export function isListed({ withdrawn, unpublished }: Lot): boolean {
  return !withdrawn && !unpublished;
}

/** Finds a lot by id; undefined if the caller cannot see it. */
export function visibleLot({ store }: World, party: Party, id: string): Lot | undefined {
  const lot = store.lots.get(id);
  return lot !== undefined && isListed(lot) && isVisible(lot.auction, party) ? lot : undefined;
}

/** Identifies the buyer of a request: the direct dealer, or the buyer that a platform names. */
export function buyerOf(party: Party, bidderReference: string | undefined): string | undefined {
  if (party.partnerType === null) return undefined;
  // Includes the partner, so that two partners linked to one dealer stay separate.
  if (party.partnerType === 'direct_dealer') return `dealer ${party.facts.dealerId} of ${party.partnerId}`;
  return bidderReference === undefined ? undefined : `buyer ${bidderReference} of ${party.clientId}`;
}

/** The leading accepted bid: the highest. On a tie, the first buyer leads with its latest bid. */
export function leader({ accepted }: Lot): Bid | undefined {
  let best: Bid | undefined;
  for (const bid of accepted) if (best === undefined || surpasses(bid, best)) best = bid;
  return best;
}

function surpasses(bid: Bid, best: Bid): boolean {
  return bid.amount > best.amount || (bid.amount === best.amount && bid.buyer === best.buyer);
}

/** The latest accepted bid of one buyer. */
export function latestOf(lot: Lot, buyer: string | undefined): Bid | undefined {
  return buyer === undefined ? undefined : lot.accepted.findLast((bid) => bid.buyer === buyer);
}

export function bidderStatus(lot: Lot, buyer: string): 'no_bid' | 'leading' | 'outbid' {
  if (latestOf(lot, buyer) === undefined) return 'no_bid';
  return leader(lot)?.buyer === buyer ? 'leading' : 'outbid';
}

/** Whether the caller's channel leads. The value for an outbid channel is undocumented. */
export function channelStatus(lot: Lot, clientId: string): 'no_bid' | 'leading' {
  return leader(lot)?.clientId === clientId ? 'leading' : 'no_bid';
}

/** `highest_amount`: absent in closed auctions, null before the first bid. */
export function visibleHighest(lot: Lot): { highest_amount?: string | null } {
  if (lot.auction.bidType === 'closed') return {};
  const highest = leader(lot);
  return { highest_amount: highest === undefined ? null : rupees(highest.amount) };
}

/** The buyer's latest accepted amount, INR decimal string; null without a bid. */
export function ownAmount(lot: Lot, buyer: string): string | null {
  const own = latestOf(lot, buyer);
  return own === undefined ? null : rupees(own.amount);
}
