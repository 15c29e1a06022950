import { listedLots } from '../catalogue.js';
import type { Auction } from '../store.js';
import type { World } from '../world.js';
import { touchLot } from './changes.js';

/** Sees to it that the opening of an auction, when its time comes, counts as a change of its lots. */
export function openAtStart(world: World, auction: Auction): void {
  const wait = auction.startsAt - world.clock.now();
  if (wait <= 0) return;
  world.clock.after(wait, () => {
    for (const lot of listedLots(world, auction)) touchLot(world, lot);
  });
}
