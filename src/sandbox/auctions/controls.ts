import type { LotMedia } from '../media.js';
import { rupees } from '../money.js';
import type { Party } from '../parties.js';
import { type Auction, findAuction, type Lot, touchLot } from '../records.js';
import { type SeededAuction, seedAuctions } from '../seed/auctions.js';
import type { SeededParties } from '../seed/parties.js';
import { checkSeed, type SeedAuction, type SeedLot } from '../seed/seed.js';
import { type Moment, unixMs } from '../times.js';
import type { World } from '../world.js';
import { statusAt } from './catalogue.js';
import { awardAtClose, moveEnd, moveStart, openAtStart } from './schedule.js';

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
  /** The close as it was first set, Unix milliseconds. */
  readonly scheduledClosesAt: number;
  /** Whether it is cancelled: it is in no listing and takes no bids. */
  readonly cancelled: boolean;
  readonly lots: readonly {
    readonly id: string;
    /** INR decimal string. */
    readonly startingPrice: string;
    /** Photos and documents, those included that nobody is shown. */
    readonly media: readonly LotMedia[];
  }[];
}

/** What the bank does with its auctions: no operation of the API does it. */
export class AuctionControls {
  readonly #world: World;
  readonly #parties: SeededParties;

  /** @internal */
  constructor(world: World, parties: SeededParties) {
    this.#world = world;
    this.#parties = parties;
  }

  list(): AuctionInfo[] {
    return [...this.#world.store.auctions.values()].map((auction) => this.#info(auction));
  }

  /** The auction with this id or label. Throws when there is none. */
  get(idOrLabel: string): AuctionInfo {
    return this.#info(namedAuction(this.#world, idOrLabel));
  }

  /**
   * Adds an auction, as a seed describes one; minutes count from now, and its lots begin without bids. Throws a
   * RangeError, and adds nothing, when it can't be meant, or its label or an id is taken.
   */
  add(auction: AddedAuction): AuctionInfo {
    return this.#info(addAuction(this.#world, this.#parties, auction));
  }

  /** Opens an auction now. Throws a RangeError when it has opened already, or is cancelled. */
  open(idOrLabel: string): void {
    this.moveOpen(idOrLabel, this.#world.clock.now());
  }

  /**
   * Moves the opening, to earlier or later, but before the close; a moment that has passed means now. Throws a
   * RangeError when it has opened already, or is cancelled. Nobody is told: the service announces closes only.
   */
  moveOpen(idOrLabel: string, to: Moment): void {
    const auction = namedAuction(this.#world, idOrLabel);
    const now = this.#world.clock.now();
    const startsAt = Math.max(unixMs(to), now);
    if (auction.cancelled) throw new RangeError(`${auction.label} is cancelled; it can't open`);
    if (auction.startsAt <= now) throw new RangeError(`${auction.label} has opened already`);
    if (startsAt >= auction.endsAt) {
      throw new RangeError(`${auction.label} would close before it opens; move its close first`);
    }
    moveStart(this.#world, auction, startsAt);
  }

  /** Closes an auction now; one that is over stays as it is. Throws a RangeError before it has opened. */
  close(idOrLabel: string): void {
    const auction = namedAuction(this.#world, idOrLabel);
    if (statusAt(auction, this.#world.clock.now()) === 'over') return;
    this.moveClose(idOrLabel, this.#world.clock.now());
  }

  /** Moves the close so many milliseconds later. Throws a RangeError when the auction is over. */
  extend(idOrLabel: string, ms: number): void {
    this.#moveBy(idOrLabel, ms, ms);
  }

  /** Moves the close so many milliseconds earlier, though not into the past. Throws a RangeError when the auction is over. */
  shorten(idOrLabel: string, ms: number): void {
    this.#moveBy(idOrLabel, -ms, ms);
  }

  /**
   * Moves the close, to earlier or later; a moment that has passed means now. It is announced as
   * `auction.schedule_changed`. Throws a RangeError when the close would not come after the opening, and once the
   * lots are awarded: an auction closes once. One that is over without a sale opens again.
   */
  moveClose(idOrLabel: string, to: Moment): void {
    const auction = namedAuction(this.#world, idOrLabel);
    const endsAt = Math.max(unixMs(to), this.#world.clock.now());
    if (auction.awarded && this.#world.flow.sales().some((sale) => sale.lot.auction === auction)) {
      throw new RangeError(`the lots of ${auction.label} are awarded; its close can no longer move`);
    }
    if (endsAt <= auction.startsAt) {
      throw new RangeError(`${auction.label} has not opened by then; open it, or cancel it`);
    }
    moveEnd(this.#world, auction, endsAt);
  }

  /** Cancels an auction: it leaves every listing and takes no bids. */
  cancel(idOrLabel: string): void {
    const auction = namedAuction(this.#world, idOrLabel);
    auction.cancelled = true;
    auction.revision += 1;
  }

  /** Withdraws one lot: it leaves every listing and takes no bids. */
  withdraw(lotId: string): void {
    const lot = namedLot(this.#world, lotId);
    lot.withdrawn = true;
    lot.auction.revision += 1;
    touchLot(this.#world.clock, lot);
  }

  #moveBy(idOrLabel: string, by: number, ms: number): void {
    if (!(ms > 0) || ms === Infinity) throw new RangeError('a close moves by milliseconds, more than 0');
    const auction = namedAuction(this.#world, idOrLabel);
    if (statusAt(auction, this.#world.clock.now()) === 'over') {
      throw new RangeError(`${auction.label} is over; moveClose() opens it again if nothing is awarded`);
    }
    this.moveClose(idOrLabel, auction.endsAt + by);
  }

  #info(auction: Auction): AuctionInfo {
    const lots = auction.lots.map(({ id, startingPrice, media }) => ({
      id,
      startingPrice: rupees(startingPrice),
      media: media.map((file) => ({ ...file })),
    }));
    return { ...infoOf(auction, this.#world.clock.now()), lots };
  }
}

/** All but the lots. */
export function infoOf(auction: Auction, now: number): Omit<AuctionInfo, 'lots'> {
  const { id, label, bidType, legacy, cancelled, increment, startsAt, endsAt, scheduledEndsAt } = auction;
  return {
    ...{ id, label, bidType, legacy, cancelled },
    status: statusAt(auction, now),
    increment: rupees(increment),
    opensAt: startsAt,
    closesAt: endsAt,
    scheduledClosesAt: scheduledEndsAt,
  };
}

/** An auction of a seed, made at run time: minutes count from now, and bids come later. */
export type AddedAuction = Omit<SeedAuction, 'lots'> & {
  /** How many invented lots, or the lots themselves. */
  readonly lots: number | readonly Omit<SeedLot, 'bids'>[];
};

/** Adds an auction to the others, and assigns it. Refuses before it adds anything. */
function addAuction(world: World, parties: SeededParties, given: AddedAuction): Auction {
  const { store, clock, ids, settings } = world;
  if (Array.isArray(given.lots) && given.lots.some((lot) => 'bids' in lot)) {
    throw new RangeError('an auction is added without bids; place them with rival.bid()');
  }
  const { auctions = [] } = checkSeed({ auctions: [given] });
  // Auctions that are added draw from their own numbers.
  const random = settings.plan.random + (store.auctions.size + 1) * 7_919;
  const [made] = seedAuctions({ random, auctions, builtIn: 0, credentials: {} }, clock.now(), ids, store);
  if (made === undefined) throw new Error('no auction was made');
  const { auction } = made;
  store.addAuction(auction);
  for (const party of assignees(world, parties, made)) {
    world.parties.update(party.clientId, { auctions: [...party.facts.auctions, auction.id] });
  }
  openAtStart(world, auction);
  awardAtClose(world, auction);
  return auction;
}

/** Every partner of the bank, rivals of all names included, or those that are named. */
function assignees(world: World, parties: SeededParties, { auction, assigned }: SeededAuction): Party[] {
  if (typeof assigned !== 'boolean') return assigned.map((name) => parties[name]);
  const isPartner = ({ actor, bankId }: Party) => actor === 'partner' && bankId === auction.bankId;
  return assigned ? world.parties.all().filter(isPartner) : [];
}

/** The auction with an id or a label. Throws a RangeError when there is none. */
export function namedAuction({ store }: World, idOrLabel: string): Auction {
  const found = findAuction(store, idOrLabel);
  if (found === undefined) {
    const labels = [...store.auctions.values()].map(({ label }) => label).join(', ');
    throw new RangeError(`the sandbox has no auction ${JSON.stringify(idOrLabel)}; its labels are ${labels}`);
  }
  return found;
}

/** The lot under an id, withdrawn or not. Throws a RangeError when there is none. */
export function namedLot({ store }: World, id: string): Lot {
  const lot = store.lots.get(id);
  if (lot === undefined) throw new RangeError(`the sandbox has no lot ${JSON.stringify(id)}`);
  return lot;
}
