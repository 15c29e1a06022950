import { listedLots } from '../catalogue.js';
import { leader } from '../standings.js';
import type { Auction, Bid, Lot } from '../store.js';
import type { World } from '../world.js';
import { ownerOf } from './bid-access.js';
import { fresh, touchLot } from './changes.js';

/** Sees to it that an auction's lots are awarded when it closes. To be called again when its close moves. */
export function awardAtClose(world: World, auction: Auction): void {
  const wait = auction.endsAt - world.clock.now();
  if (wait <= 0) award(world, auction);
  else world.clock.schedule(wait, () => award(world, auction));
}

/**
 * Opens a sale for the leading bid of every lot, once, when the auction is over and every bid on the way is judged: one
 * that came before the close and is held up counts too. The bank has yet to decide the sales.
 */
export function award(world: World, auction: Auction): void {
  if (auction.awarded || auction.cancelled || world.clock.now() < auction.endsAt) return;
  if (world.store.isBeingBidIn(auction.id)) return;
  auction.awarded = true;
  for (const lot of listedLots(world, auction)) {
    // That it is over is news of every lot, sold or not.
    touchLot(world, lot);
    openSale(world, auction, lot);
  }
}

/**
 * The bid that a lot was awarded to is cancelled: the sale of it can't be approved any more. Whether the next bid gets
 * one, for the bank to decide by itself, is not shown (unknowns: `award-after-cancellation`).
 */
export function awardAnew(world: World, lot: Lot, cancelled: Bid): void {
  if (world.settings.variants['award-after-cancellation'] === 'nobody') return;
  const wasAwarded = [...world.cases.sales.values()].some(({ bid }) => bid === cancelled);
  if (wasAwarded) openSale(world, world.store.auctionOf(lot), lot);
}

/** Opens a sale for the leading bid of a lot, if it has one. */
function openSale(world: World, auction: Auction, lot: Lot): void {
  const bid = leader(lot);
  if (bid === undefined) return;
  const owner = ownerOf(world, bid);
  const sale = {
    ...fresh(world, 'sal', 'sale' as const, 'pending_bank_approval' as const, owner),
    lot,
    auction,
    bid,
    amount: bid.amount,
    cancelled: false,
    terms: undefined,
    acknowledgedAt: undefined,
    offers: [],
  };
  world.cases.sales.set(sale.id, sale);
}
