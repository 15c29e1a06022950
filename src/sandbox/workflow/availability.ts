import { conflict } from './commands.js';
import type { Sale } from './entities.js';

/** An award rests on a bid that still counts and on a vehicle that is still to be had: 409 where it doesn't. */
export function mustStand({ lot, auction, bid }: Sale): void {
  if (!lot.accepted.includes(bid)) throw conflict('The bid of this sale is cancelled.');
  if (lot.withdrawn || auction.cancelled)
    throw conflict('The vehicle of this sale is not available any more.');
}
