import { type Call, param } from '../call.js';
import { notFound, Refusal } from '../replies.js';
import type { Bid, Lot } from '../store.js';
import type { World } from '../world.js';
import { mayHave } from './cases.js';
import type { Owner } from './entities.js';

/** The bid that the path names, if the caller may read it: a partner its own, a bank those on its lots. Else a 404. */
export function bidInPath(call: Call): Bid {
  const bid = call.world.store.bids.get(param(call, 'bid'));
  if (bid === undefined || !mayHave(call.party, ownerOf(call.world, bid))) throw new Refusal(notFound());
  return bid;
}

export function ownerOf(world: World, bid: Bid): Owner {
  return { bankId: world.store.auctionOf(lotOf(world, bid)).bankId, partnerId: bid.partnerId };
}

/** The lot a bid is on; every bid is on one. */
export function lotOf({ store }: World, bid: Bid): Lot {
  const lot = store.lots.get(bid.lotId);
  if (lot === undefined) throw new Error(`bid ${bid.id} is on no lot`);
  return lot;
}
