import { statusAt } from '../catalogue.js';
import { rupees } from '../money.js';
import { leader } from '../standings.js';
import type { Auction, Lot } from '../store.js';
import type { World } from '../world.js';
import type { Inspected } from './inspected.js';

export interface AuctionView {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly status: 'upcoming' | 'live' | 'over' | 'cancelled';
  readonly bidType: 'open' | 'closed';
  readonly legacy: boolean;
  /** INR decimal string. */
  readonly increment: string;
  readonly opensAt: number;
  readonly closesAt: number;
  readonly awarded: boolean;
  readonly lots: number;
  readonly bids: number;
}

export interface LotView {
  readonly id: string;
  readonly title: string;
  readonly registration: string;
  readonly withdrawn: boolean;
  /** INR decimal string. */
  readonly startingPrice: string;
  /** INR decimal string, of sealed auctions too; null without a bid. */
  readonly highest: string | null;
  readonly leader: { readonly clientId: string; readonly bidderReference: string | null } | null;
  readonly bids: number;
  readonly sale: { readonly id: string; readonly state: string } | null;
}

/** An auction as the bank's back office has it, hidden facts included. */
export function auctionView(world: World, auction: Auction): AuctionView {
  const { id, label, name, bidType, legacy, increment, startsAt, endsAt, cancelled, awarded } = auction;
  const lots = world.store.lotsOf(id);
  return {
    id,
    label,
    name,
    status: cancelled ? 'cancelled' : statusAt(auction, world.clock.now()),
    bidType,
    legacy,
    increment: rupees(increment),
    opensAt: startsAt,
    closesAt: endsAt,
    awarded,
    lots: lots.length,
    bids: lots.reduce((sum, lot) => sum + lot.accepted.length, 0),
  };
}

/** The lots of an auction with their standings; with a search, those that have it in their id, name or number. */
export function lotsOf({ world }: Inspected, auction: Auction, search: string): LotView[] {
  const sales = new Map(
    [...world.cases.sales.values()].map((sale) => [sale.lot.id, { id: sale.id, state: sale.state }]),
  );
  return world.store
    .lotsOf(auction.id)
    .filter((lot) => search === '' || searchable(lot).includes(search))
    .map((lot) => {
      const best = leader(lot);
      return {
        id: lot.id,
        title: lot.vehicle.title,
        registration: lot.vehicle.registrationNumber,
        withdrawn: lot.withdrawn,
        startingPrice: rupees(lot.startingPrice),
        highest: best === undefined ? null : rupees(best.amount),
        leader:
          best === undefined ? null : { clientId: best.clientId, bidderReference: best.bidderReference },
        bids: lot.accepted.length,
        sale: sales.get(lot.id) ?? null,
      };
    });
}

function searchable({ id, vehicle }: Lot): string {
  return `${id}\n${vehicle.title}\n${vehicle.registrationNumber}`.toLowerCase();
}
