import { decideBid } from '../auctions/bidding.js';
import { buyerOf } from '../auctions/standings.js';
import type { Auction, Lot } from '../auctions/store.js';
import { type Ids, SeededRandom } from '../ids.js';
import { paise, rupees } from '../money.js';
import { nameOf } from '../schema.js';
import { unixMs } from '../times.js';
import type { World } from '../world.js';
import { SeededMedia } from './media.js';
import { bankId, otherBankId, type SeededParties } from './parties.js';
import type { PartnerName, SeedAuction, SeedBid, SeedPlan } from './seed.js';
import type { AuctionRow } from './tables.js';
import { type Invention, inventLot } from './vehicles.js';

export interface SeededAuction {
  readonly auction: Auction;
  readonly lots: readonly Lot[];
  /** The bids that its lots begin with. */
  readonly bids: readonly SeededBids[];
  /** Whether the bank assigned it to its partners, or to which of them. */
  readonly assigned: boolean | readonly PartnerName[];
}

/** Invents the auctions and their lots around a start (Unix milliseconds). Throws a RangeError where a seed contradicts itself. */
export function seedAuctions(plan: SeedPlan, startAt: number, ids: Ids): SeededAuction[] {
  const minute = Math.floor(startAt / 60_000) * 60_000;
  const invention: Invention = {
    ids,
    random: new SeededRandom(plan.random),
    media: new SeededMedia(plan.random),
    updatedAt: minute,
  };
  const rivals = new SeededRandom(plan.random ^ apart);
  const invented = plan.rows.map((row, index) => fromRow(row, index, invention, rivals));
  const own = plan.own.map((given, index) => fromSeed(given, index, plan.rows.length, invention, startAt));
  const all = [...invented, ...own];
  const first = plan.rows.length;
  refuseTwins(
    all.map(({ auction }, index) => [auction.label, nameOf('seed', ['auctions', index - first, 'label'])]),
  );
  refuseTwins(
    all.map(({ auction }, index) => [auction.id, nameOf('seed', ['auctions', index - first, 'id'])]),
  );
  refuseTwins(
    all.flatMap(({ lots }, index) =>
      lots.map(
        (lot, place) => [lot.id, nameOf('seed', ['auctions', index - first, 'lots', place, 'id'])] as const,
      ),
    ),
  );
  return all;
}

function fromRow(row: AuctionRow, index: number, invention: Invention, rivals: SeededRandom): SeededAuction {
  const auction: Auction = {
    ...begun(
      invention,
      index,
      invention.updatedAt + row.opens * 60_000,
      invention.updatedAt + row.closes * 60_000,
    ),
    label: row.label,
    bankId: row.otherBank ? otherBankId : bankId,
    name: row.name,
    bidType: row.bidType,
    legacy: row.legacy ?? false,
    increment: paise(String(row.increment)),
    cancelled: row.cancelled ?? false,
    // Where nobody has bid in one that is over, there is nothing to award.
    awarded: row.closes <= 0 && row.rivals !== true,
  };
  const lots = Array.from({ length: row.lots }, (_, place) => inventLot(invention, auction, place));
  return {
    auction,
    lots,
    bids: row.rivals ? rivalBids(rivals, auction, lots) : [],
    assigned: !row.unassigned && !row.otherBank,
  };
}

function fromSeed(
  given: SeedAuction,
  index: number,
  before: number,
  invention: Invention,
  startAt: number,
): SeededAuction {
  const opens = momentOf(given.opens, invention.updatedAt, nameOf('seed', ['auctions', index, 'opens']));
  const closes = momentOf(given.closes, invention.updatedAt, nameOf('seed', ['auctions', index, 'closes']));
  if (opens >= closes)
    throw new RangeError(`${nameOf('seed', ['auctions', index])} must open before it closes`);
  const begins = begun(invention, before + index, opens, closes);
  const auction: Auction = {
    ...begins,
    id: given.id ?? begins.id,
    label: given.label,
    bankId: given.bank === 'otherBank' ? otherBankId : bankId,
    name: given.name,
    bidType: given.bid_type,
    legacy: given.legacy ?? false,
    increment: paise(given.increment),
    cancelled: given.cancelled ?? false,
    awarded:
      closes <= startAt && (typeof given.lots === 'number' || given.lots.every((lot) => !lot.bids?.length)),
  };
  const list = typeof given.lots === 'number' ? Array.from({ length: given.lots }, () => ({})) : given.lots;
  const lots = list.map((lot, place) => inventLot(invention, auction, place, lot));
  const bids = typeof given.lots === 'number' ? [] : given.lots.map(({ bids = [] }) => bids);
  return {
    auction,
    lots,
    bids: lots.map((lot, place) => ({
      lot,
      bids: bids[place] ?? [],
      name: nameOf('seed', ['auctions', index, 'lots', place, 'bids']),
    })),
    assigned: given.bank !== 'otherBank' && (given.assigned ?? true),
  };
}

function begun({ ids }: Invention, index: number, startsAt: number, endsAt: number) {
  return {
    id: ids.next('auc'),
    reference: `EVT-${String(index + 1).padStart(4, '0')}`,
    startsAt,
    endsAt,
    scheduledEndsAt: endsAt,
    revision: 1,
  };
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

/** Rivals draw from numbers of their own, so that their bids change nothing else of a seed. */
const apart = 0x62696473;

/** The bids on a lot that stand when the sandbox starts, oldest first. */
export interface SeededBids {
  readonly lot: Lot;
  readonly bids: readonly SeedBid[];
  /** What the seed calls the list, for messages. */
  readonly name: string;
}

/** Invents what the rival has bid on some lots of an auction: one bid on each, or two. */
function rivalBids(random: SeededRandom, auction: Auction, lots: readonly Lot[]): SeededBids[] {
  const step = auction.increment > 0n ? auction.increment : paise('500');
  return lots.flatMap((lot) => {
    if (random.int(5) > 1) return [];
    const first = lot.startingPrice + step * BigInt(1 + random.int(3));
    const amounts = random.int(3) === 0 ? [first, first + step * BigInt(1 + random.int(4))] : [first];
    const bids = amounts.map((amount) => ({ by: 'rival' as const, amount: rupees(amount) }));
    return [{ lot, bids, name: `the rival's bids on ${lot.id}` }];
  });
}

/**
 * Places the bids of a seed under the rules of all bids, spread over the time in which their auctions were live. Throws a
 * RangeError for one that would not have been accepted.
 */
export function placeBids(world: World, parties: SeededParties, seeded: SeededBids): void {
  const { lot, bids, name } = seeded;
  const auction = world.store.auctionOf(lot);
  const until = Math.min(auction.endsAt, world.clock.now());
  const wait = Math.max(0, (until - auction.startsAt) / (bids.length + 1));
  for (const [at, bid] of bids.entries()) {
    const party = parties[bid.by];
    const outcome = decideBid(
      world,
      {
        party,
        auction,
        lot,
        dealerId: party.facts.dealerId,
        bidderReference: bid.bidder_reference,
        buyer: buyerOf(party, bid.bidder_reference),
        amount: paise(bid.amount),
      },
      {
        requestId: world.ids.next('req'),
        idempotencyKey: world.ids.uuid(),
        receivedAt: Math.min(until, Math.floor(auction.startsAt + wait * (at + 1))),
        fingerprint: '',
      },
    );
    if (outcome.status !== 'accepted') {
      throw new RangeError(`${name}[${at}] would not have been accepted: ${outcome.codes.join(', ')}`);
    }
  }
}
