import type { Ids } from '../ids.js';
import { paise } from '../money.js';
import type { Auction, Lot } from '../store.js';
import { unixMs } from '../times.js';
import { rivalBids, type SeededBids } from './bids.js';
import { type Invention, inventLot } from './lots.js';
import { SeededMedia } from './media.js';
import { bankId, otherBankId } from './parties.js';
import type { SeedPlan } from './plan.js';
import { SeededRandom } from './random.js';
import { nameOf } from './schema.js';
import type { PartnerName, SeedAuction } from './seed.js';
import type { AuctionRow } from './tables.js';

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
  refuseTwins(all.map(({ auction }, index) => [auction.label, nameOf(['auctions', index - first, 'label'])]));
  refuseTwins(all.map(({ auction }, index) => [auction.id, nameOf(['auctions', index - first, 'id'])]));
  refuseTwins(
    all.flatMap(({ lots }, index) =>
      lots.map((lot, place) => [lot.id, nameOf(['auctions', index - first, 'lots', place, 'id'])] as const),
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
  const opens = momentOf(given.opens, invention.updatedAt, nameOf(['auctions', index, 'opens']));
  const closes = momentOf(given.closes, invention.updatedAt, nameOf(['auctions', index, 'closes']));
  if (opens >= closes) throw new RangeError(`${nameOf(['auctions', index])} must open before it closes`);
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
      name: nameOf(['auctions', index, 'lots', place, 'bids']),
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
