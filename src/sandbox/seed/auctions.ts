import type { Ids } from '../ids.js';
import { paise } from '../money.js';
import type { Auction, Lot } from '../store.js';
import { SeededMedia } from './media.js';
import { bankId, otherBankId } from './parties.js';
import { SeededRandom } from './random.js';
import { auctions } from './tables.js';
import { inventVehicle } from './vehicles.js';

export interface SeededAuction {
  readonly auction: Auction;
  readonly lots: readonly Lot[];
  /** Whether the bank assigned it to its partners. */
  readonly assigned: boolean;
}

/** Invents the auctions and their lots around a start (Unix milliseconds). */
export function seedAuctions(seed: number, startAt: number, ids: Ids): SeededAuction[] {
  const random = new SeededRandom(seed);
  const media = new SeededMedia(seed);
  const minute = Math.floor(startAt / 60_000) * 60_000;
  return auctions.map((row, index) => {
    const auction: Auction = {
      id: ids.next('auc'),
      label: row.label,
      bankId: 'otherBank' in row ? otherBankId : bankId,
      name: row.name,
      reference: `EVT-${String(index + 1).padStart(4, '0')}`,
      bidType: row.bidType,
      legacy: 'legacy' in row,
      increment: paise(String(row.increment)),
      startsAt: minute + row.opens * 60_000,
      endsAt: minute + row.closes * 60_000,
      cancelled: 'cancelled' in row,
      // Nobody has bid in those that are over: there is nothing to award.
      awarded: row.closes <= 0,
      revision: 1,
    };
    const lots = Array.from({ length: row.lots }, (_, place) => {
      const lot = inventLot(auction, ids, random, minute);
      return { ...lot, media: media.next(place, lot.vehicle) };
    });
    return { auction, lots, assigned: !('unassigned' in row) && !('otherBank' in row) };
  });
}

function inventLot(auction: Auction, ids: Ids, random: SeededRandom, updatedAt: number): Omit<Lot, 'media'> {
  const vehicle = inventVehicle(random);
  const percent = 55 + random.int(30);
  const opening = Math.max(1_000, Math.round((vehicle.value * percent) / 100 / 500) * 500);
  return {
    id: ids.next('lot'),
    auctionId: auction.id,
    vehicle,
    startingPrice: paise(String(opening)),
    withdrawn: false,
    version: 1,
    resourceVersion: 1,
    updatedAt,
    accepted: [],
  };
}
