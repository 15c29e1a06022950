import { statusAt } from './catalogue.js';
import type { LotMedia } from './media/lot-media.js';
import { rupees } from './money.js';
import type { Auction } from './store.js';
import { type Moment, unixMs } from './times.js';
import { awardAtClose } from './workflow/awards.js';
import { touchLot } from './workflow/changes.js';
import type { World } from './world.js';

/** An auction as tests see it, hidden facts included. */
export interface AuctionInfo {
  readonly id: string;
  /** What the seeds call it: `live-open`, `live-closed`, `live-legacy`, `live-no-grid`, `upcoming`, `over`, … */
  readonly label: string;
  readonly status: 'upcoming' | 'live' | 'over';
  readonly bidType: 'open' | 'closed';
  readonly legacy: boolean;
  /** INR decimal string. */
  readonly increment: string;
  /** Server time, Unix milliseconds, inclusive. */
  readonly opensAt: number;
  /** Server time, Unix milliseconds, exclusive. */
  readonly closesAt: number;
  readonly lots: readonly {
    readonly id: string;
    /** INR decimal string. */
    readonly startingPrice: string;
    /** Photos and documents, those included that nobody is shown. */
    readonly media: readonly LotMedia[];
  }[];
}

/** The hand of the bank on its auctions. */
export class AuctionControls {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  list(): AuctionInfo[] {
    return [...this.#world.store.auctions.values()].map((auction) => this.#info(auction));
  }

  /** The auction with this id or label. Throws when there is none. */
  get(idOrLabel: string): AuctionInfo {
    return this.#info(this.#find(idOrLabel));
  }

  /** Closes an auction now. */
  close(idOrLabel: string): void {
    this.moveClose(idOrLabel, this.#world.clock.now());
  }

  /** Moves the close, to earlier or later; a moment that has passed means now. Throws when the lots are awarded: an auction closes once. */
  moveClose(idOrLabel: string, to: Moment): void {
    const auction = this.#find(idOrLabel);
    const endsAt = Math.max(unixMs(to), this.#world.clock.now());
    if (auction.awarded && [...this.#world.cases.sales.values()].some((sale) => sale.auction === auction)) {
      throw new RangeError(
        `${auction.label} has closed and its lots are awarded; its close can't move any more`,
      );
    }
    auction.awarded = false;
    auction.endsAt = endsAt;
    auction.revision += 1;
    for (const lot of this.#world.store.lotsOf(auction.id)) touchLot(this.#world, lot);
    awardAtClose(this.#world, auction);
  }

  /** Cancels an auction: it leaves every listing and takes no bids. */
  cancel(idOrLabel: string): void {
    const auction = this.#find(idOrLabel);
    auction.cancelled = true;
    auction.revision += 1;
  }

  /** Withdraws one lot: it leaves every listing and takes no bids. */
  withdraw(lotId: string): void {
    const lot = this.#world.store.lots.get(lotId);
    if (lot === undefined) throw new RangeError(`the sandbox has no lot ${JSON.stringify(lotId)}`);
    lot.withdrawn = true;
    this.#world.store.auctionOf(lot).revision += 1;
    touchLot(this.#world, lot);
  }

  #find(idOrLabel: string): Auction {
    const { auctions } = this.#world.store;
    const found = auctions.get(idOrLabel) ?? [...auctions.values()].find(({ label }) => label === idOrLabel);
    if (found === undefined) {
      const labels = [...auctions.values()].map(({ label }) => label).join(', ');
      throw new RangeError(
        `the sandbox has no auction ${JSON.stringify(idOrLabel)}; its labels are ${labels}`,
      );
    }
    return found;
  }

  #info(auction: Auction): AuctionInfo {
    const { id, label, bidType, legacy, increment, startsAt, endsAt } = auction;
    return {
      id,
      label,
      status: statusAt(auction, this.#world.clock.now()),
      bidType,
      legacy,
      increment: rupees(increment),
      opensAt: startsAt,
      closesAt: endsAt,
      lots: this.#world.store.lotsOf(id).map((lot) => ({
        id: lot.id,
        startingPrice: rupees(lot.startingPrice),
        media: lot.media.map((file) => ({ ...file })),
      })),
    };
  }
}
