import type { Offer, Sale } from './entities.js';

/** The offer that waits for its answer, or was accepted and not superseded since, its validity over or not. */
export function activeOffer(sale: Sale): Offer | undefined {
  return sale.offers.find(({ state }) => state === 'open' || state === 'accepted');
}
