import { listedLots } from '../catalogue.js';
import type { Auction } from '../store.js';
import type { World } from '../world.js';
import { touchLot } from './changes.js';

/**
 * Sees to it that the opening of an auction, when its time comes, counts as a change of its lots. To be called again
 * when its opening moves.
 */
export function openAtStart(world: World, auction: Auction): void {
  waiting.get(auction)?.();
  waiting.delete(auction);
  const wait = auction.startsAt - world.clock.now();
  if (wait <= 0) return;
  const cancel = world.clock.schedule(wait, () => opened(world, auction));
  waiting.set(auction, cancel);
}

/** Counts the opening of an auction, and tells who watches it. */
export function opened(world: World, auction: Auction): void {
  for (const lot of listedLots(world, auction)) touchLot(world, lot);
  world.market.tellSchedule(auction);
}

const waiting = new WeakMap<Auction, () => void>();
