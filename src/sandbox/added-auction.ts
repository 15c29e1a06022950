import type { Party } from './parties.js';
import { type SeededAuction, seedAuctions } from './seed/auctions.js';
import type { SeededParties } from './seed/parties.js';
import { checkSeed } from './seed/schema.js';
import type { SeedAuction, SeedLot } from './seed/seed.js';
import type { Auction } from './store.js';
import { awardAtClose } from './workflow/awards.js';
import { openAtStart } from './workflow/openings.js';
import type { World } from './world.js';

/** An auction of a seed, made at run time: minutes count from now, and bids come later. */
export type AddedAuction = Omit<SeedAuction, 'lots'> & {
  /** How many invented lots, or the lots themselves. */
  readonly lots: number | readonly Omit<SeedLot, 'bids'>[];
};

/** Adds an auction to the others, and assigns it. Refuses before it adds anything. */
export function addAuction(world: World, parties: SeededParties, given: AddedAuction): Auction {
  const { store, clock, ids, settings } = world;
  if (Array.isArray(given.lots) && given.lots.some((lot) => 'bids' in lot)) {
    throw new RangeError('an auction is added without bids; place them with rival.bid()');
  }
  checkSeed({ auctions: [given] });
  mustBeNew(world, given);
  const count = store.auctions.size + 1;
  const plan = { random: settings.plan.random + count * apart, rows: [], own: [given], credentials: {} };
  const [made] = seedAuctions(plan, clock.now(), ids);
  if (made === undefined) throw new Error('no auction was made');
  const auction = { ...made.auction, reference: `EVT-${String(count).padStart(4, '0')}` };
  store.addAuction(auction, made.lots);
  for (const party of assignees(world, parties, made)) {
    world.parties.update(party.clientId, { auctions: [...party.facts.auctions, auction.id] });
  }
  openAtStart(world, auction);
  awardAtClose(world, auction);
  return auction;
}

function mustBeNew({ store }: World, { label, id, lots }: AddedAuction): void {
  const taken = new Set<string | undefined>(
    [...store.auctions.values()].flatMap((each) => [each.label, each.id]),
  );
  const lotIds = typeof lots === 'number' ? [] : lots.map((lot) => lot.id);
  const twin =
    [label, id].find((name) => name !== undefined && taken.has(name)) ??
    lotIds.find((lotId) => lotId !== undefined && store.lots.has(lotId));
  if (twin !== undefined) throw new RangeError(`the sandbox has ${JSON.stringify(twin)} already`);
}

/** Every partner of the bank, rivals of all names included, or those that are named. */
function assignees(world: World, parties: SeededParties, { auction, assigned }: SeededAuction): Party[] {
  if (typeof assigned !== 'boolean') return assigned.map((name) => parties[name]);
  const all = world.parties
    .all()
    .filter(({ actor, bankId }) => actor === 'partner' && bankId === auction.bankId);
  return assigned ? all : [];
}

/** Auctions that are added draw from numbers of their own. */
const apart = 7_919;
