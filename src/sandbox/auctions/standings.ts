import { rupees } from '../money.js';
import type { Party } from '../parties.js';
import type { Auction, Bid, Lot } from './store.js';

/** Whose standing a request is about: a direct dealer's own, or that of the buyer a platform names. */
export function buyerOf(party: Party, bidderReference: string | undefined): string | undefined {
  if (party.partnerType === null) return undefined;
  // The partner too: what it bids is no other's to see, should two be linked to one dealer.
  if (party.partnerType === 'direct_dealer') return `dealer ${party.facts.dealerId} of ${party.partnerId}`;
  return bidderReference === undefined ? undefined : `buyer ${bidderReference} of ${party.clientId}`;
}

/** The leading accepted bid: the highest, and of equal ones the first buyer's, in its latest bid. */
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

/** Whether the caller's channel leads; what a channel that bid without leading is told is not shown. */
export function channelStatus(lot: Lot, clientId: string): 'no_bid' | 'leading' {
  return leader(lot)?.clientId === clientId ? 'leading' : 'no_bid';
}

/** `highest_amount` for those who may see it: absent in closed auctions, null before the first bid. */
export function visibleHighest(auction: Auction, lot: Lot): { highest_amount?: string | null } {
  if (auction.bidType === 'closed') return {};
  const highest = leader(lot);
  return { highest_amount: highest === undefined ? null : rupees(highest.amount) };
}

/** A buyer's latest accepted amount, INR decimal string; null without one. */
export function ownAmount(lot: Lot, buyer: string): string | null {
  const own = latestOf(lot, buyer);
  return own === undefined ? null : rupees(own.amount);
}
