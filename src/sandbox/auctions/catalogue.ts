import type { Party } from '../parties.js';
import type { World } from '../world.js';
import type { Auction, Lot } from './store.js';

/** A lot and its auction. */
export interface SeenLot {
  readonly auction: Auction;
  readonly lot: Lot;
}

export type EventStatus = 'upcoming' | 'live' | 'over';

/** Where an auction stands: live from its start, inclusive, to its close, exclusive. */
export function statusAt(auction: Pick<Auction, 'startsAt' | 'endsAt'>, now: number): EventStatus {
  if (now < auction.startsAt) return 'upcoming';
  return now < auction.endsAt ? 'live' : 'over';
}

/** Whether the auction is the caller's to see or bid in: its bank's, and assigned to it when it is a partner. */
export function isAssigned(auction: Auction, party: Party): boolean {
  if (auction.bankId !== party.bankId) return false;
  return party.actor === 'bank' || party.facts.auctions.includes(auction.id);
}

/** Auctions the caller may see, with lots in them, by start. */
export function visibleAuctions(world: World, party: Party): Auction[] {
  return [...world.store.auctions.values()]
    .filter((auction) => isVisible(world, auction, party))
    .sort((a, b) => a.startsAt - b.startsAt || (a.id < b.id ? -1 : 1));
}

/** The lots of an auction that are listed. */
export function listedLots(world: World, auction: Auction): Lot[] {
  return world.store.lotsOf(auction.id).filter(isListed);
}

/** Whether a lot is listed and takes bids: neither withdrawn, nor its vehicle back in the inventory. */
export function isListed({ withdrawn, unpublished }: Lot): boolean {
  return !withdrawn && !unpublished;
}

/** The lot under an id and its auction; undefined when the caller may not see it. */
export function visibleLot(world: World, party: Party, id: string): SeenLot | undefined {
  const lot = world.store.lots.get(id);
  if (lot === undefined || !isListed(lot)) return undefined;
  const auction = world.store.auctionOf(lot);
  return isVisible(world, auction, party) ? { auction, lot } : undefined;
}

/** Whether the caller may see an auction: one with lots in it. */
export function isVisible(world: World, auction: Auction, party: Party): boolean {
  return isAssigned(auction, party) && !auction.cancelled && listedLots(world, auction).length > 0;
}
