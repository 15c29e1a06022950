import { namedAuction, namedLot } from '../named.js';
import type { Party } from '../parties.js';
import { SeededRandom } from '../seed/random.js';
import type { Lot } from '../store.js';
import type { World } from '../world.js';
import type { RivalHandle, RivalLogEntry } from './log.js';
import { type FollowOptions, mannerOf } from './manner.js';
import { Pursuit } from './pursuit.js';

/** Sets a rival on some lots. */
export function follow(world: World, party: Party, options: FollowOptions): RivalHandle {
  const manner = mannerOf(options);
  const { seed = 1 } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError('seed is a whole number');
  const log: RivalLogEntry[] = [];
  // Each lot draws from numbers of its own, so that what happens on one changes nothing on another.
  const pursuits = new Map(
    lotsOf(world, options).map((lot, place) => [
      lot.id,
      new Pursuit(world, party, lot, manner, new SeededRandom(seed + place * apart), log),
    ]),
  );
  const ends = [
    world.market.onBid((bid) => pursuits.get(bid.lotId)?.bidMade()),
    world.market.onSchedule((auction) => {
      for (const pursuit of pursuits.values()) if (pursuit.auctionId === auction.id) pursuit.scheduleMoved();
    }),
  ];
  for (const pursuit of pursuits.values()) pursuit.look();
  return {
    cancel: () => {
      for (const end of ends) end();
      for (const pursuit of pursuits.values()) pursuit.stop();
    },
    log,
  };
}

function lotsOf(world: World, { lots, auction }: FollowOptions): readonly Lot[] {
  if ((lots === undefined) === (auction === undefined)) {
    throw new RangeError('a rival follows either lots or an auction');
  }
  if (auction !== undefined) return world.store.lotsOf(namedAuction(world, auction).id);
  return [...new Set(lots)].map((id) => namedLot(world, id));
}

const apart = 0x9e3779b1;
