import { interestIn, placeDirectly } from '../auctions/bidding.js';
import type { Auction, Lot } from '../auctions/store.js';
import { type Ids, SeededRandom } from '../ids.js';
import { paise, rupees } from '../money.js';
import { nameOf } from '../schema.js';
import { unixMs } from '../times.js';
import type { World } from '../world.js';
import { LotInvention } from './lots.js';
import { bankId, otherBankId, type SeededParties } from './parties.js';
import type { PartnerName, SeedBid, SeedLot, SeedPlan } from './seed.js';

export interface SeededAuction {
  readonly auction: Auction;
  readonly lots: readonly Lot[];
  /** The bids that its lots begin with. */
  readonly bids: readonly SeededBids[];
  /** Whether the bank assigned it to its partners, or to which of them. */
  readonly assigned: boolean | readonly PartnerName[];
}

/** The bids on a lot that stand when the sandbox starts, oldest first. */
interface SeededBids {
  readonly lot: Lot;
  readonly bids: readonly SeedBid[];
  /** What the seed calls the list, for messages. */
  readonly name: string;
}

/** Invents the auctions and their lots around a start (Unix milliseconds). Throws a RangeError where a seed contradicts itself. */
export function seedAuctions(plan: SeedPlan, startAt: number, ids: Ids): SeededAuction[] {
  const minute = Math.floor(startAt / 60_000) * 60_000;
  const lots = new LotInvention(plan.random, ids, minute);
  // Rivals draw from their own numbers, so that their bids change nothing else of a seed.
  const rivals = new SeededRandom(plan.random ^ 0x62696473);
  const nameAt = (index: number, ...path: readonly (string | number)[]) =>
    nameOf('seed', ['auctions', index - plan.builtIn, ...path]);

  const all = plan.auctions.map((given, index): SeededAuction => {
    const startsAt = momentOf(given.opens, minute, nameAt(index, 'opens'));
    const endsAt = momentOf(given.closes, minute, nameAt(index, 'closes'));
    if (startsAt >= endsAt) throw new RangeError(`${nameAt(index)} must open before it closes`);
    const list: readonly SeedLot[] =
      typeof given.lots === 'number' ? Array.from({ length: given.lots }, () => ({})) : given.lots;
    const invented = ids.next('auc');
    const auction: Auction = {
      id: given.id ?? invented,
      label: given.label,
      bankId: given.bank === 'otherBank' ? otherBankId : bankId,
      name: given.name,
      reference: `EVT-${String(index + 1).padStart(4, '0')}`,
      bidType: given.bid_type,
      legacy: given.legacy ?? false,
      increment: paise(given.increment),
      startsAt,
      endsAt,
      scheduledEndsAt: endsAt,
      cancelled: given.cancelled ?? false,
      // Where nobody has bid in one that is over, there is nothing to award.
      awarded: endsAt <= startAt && !given.rivals && list.every(({ bids = [] }) => bids.length === 0),
      revision: 1,
    };
    const made = list.map((lot, place) => lots.lot(auction, place, lot));
    const bids = made.map((lot, place) => ({
      lot,
      bids: list[place]?.bids ?? (given.rivals ? rivalBids(rivals, auction, lot) : []),
      name: nameAt(index, 'lots', place, 'bids'),
    }));
    const assigned = given.bank !== 'otherBank' && (given.assigned ?? true);
    return { auction, lots: made, bids, assigned };
  });

  refuseTwins(all.map(({ auction }, index) => [auction.label, nameAt(index, 'label')]));
  refuseTwins(all.map(({ auction }, index) => [auction.id, nameAt(index, 'id')]));
  refuseTwins(
    all.flatMap((each, index) =>
      each.lots.map(({ id }, place) => [id, nameAt(index, 'lots', place, 'id')] as const),
    ),
  );
  return all;
}

/** Minutes are counted from the minute of the start. `name`: what the seed calls it, for messages. */
function momentOf(when: number | string, minute: number, name: string): number {
  try {
    return unixMs(typeof when === 'number' ? minute + Math.round(when * 60_000) : when);
  } catch (cause) {
    throw new RangeError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** `named`: a value that is there once only, and where it is given. */
function refuseTwins(named: readonly (readonly [value: string, name: string])[]): void {
  const seen = new Set<string>();
  for (const [value, name] of named) {
    if (seen.has(value)) throw new RangeError(`${name} is ${JSON.stringify(value)}, which is taken`);
    seen.add(value);
  }
}

/** Invents what the rival has bid on a lot: mostly nothing, else once or twice. */
function rivalBids(random: SeededRandom, { increment }: Auction, lot: Lot): SeedBid[] {
  if (random.int(5) > 1) return [];
  const step = increment > 0n ? increment : paise('500');
  const first = lot.startingPrice + step * BigInt(1 + random.int(3));
  const amounts = random.int(3) === 0 ? [first, first + step * BigInt(1 + random.int(4))] : [first];
  return amounts.map((amount) => ({ by: 'rival', amount: rupees(amount) }));
}

/**
 * Places the bids of a seed under the rules of all bids, spread over the time in which their auctions were live. Throws a
 * RangeError for one that would not have been accepted.
 */
export function placeBids(world: World, parties: SeededParties, { lot, bids, name }: SeededBids): void {
  const auction = world.store.auctionOf(lot);
  const until = Math.min(auction.endsAt, world.clock.now());
  const wait = Math.max(0, (until - auction.startsAt) / (bids.length + 1));
  for (const [at, bid] of bids.entries()) {
    const interest = interestIn(world, parties[bid.by], lot, bid.bidder_reference);
    const receivedAt = Math.min(until, Math.floor(auction.startsAt + wait * (at + 1)));
    const outcome = placeDirectly(world, { ...interest, amount: paise(bid.amount) }, receivedAt);
    if (outcome.status !== 'accepted') {
      throw new RangeError(`${name}[${at}] would not have been accepted: ${outcome.codes.join(', ')}`);
    }
  }
}
