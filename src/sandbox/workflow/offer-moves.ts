import type { World } from '../world.js';
import { touch } from './changes.js';
import type { Offer } from './entities.js';
import { announce } from './notices.js';

/** Ends an offer, open or accepted, that something else has taken the place of. */
export function supersede(world: World, offer: Offer | undefined, by: string): void {
  if (offer === undefined) return;
  moveOffer(world, offer, 'superseded');
  tellOfOffer(world, offer, 'superseded', `is superseded by ${by}`);
}

export function moveOffer(world: World, offer: Offer, state: Offer['state']): void {
  const { variants } = world.settings;
  offer.state = variants['offer-states'] === 'withdrawn-lapsed' ? renamed(state) : state;
  touch(world, offer);
}

function renamed(state: Offer['state']): Offer['state'] {
  if (state === 'superseded') return 'withdrawn';
  return state === 'expired' ? 'lapsed' : state;
}

export function tellOfOffer(world: World, offer: Offer, what: string, words: string): void {
  announce(world, `offer.${what}`, offer, `Offer ${offer.id} on sale ${offer.sale.id} ${words}`);
}
