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

/** An auction with hidden attributes. */
export interface AuctionInfo {
  readonly id: string;
  /** Label in the seed: `live-open`, `live-closed`, `live-legacy`, `live-no-grid`, `upcoming`, `over`, … */
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
  /** The original close, Unix milliseconds. */
  readonly scheduledClosesAt: number;
  /** Whether the auction is cancelled. A cancelled auction is unlisted and takes no bids. */
  readonly cancelled: boolean;
  readonly lots: readonly {
    readonly id: string;
    /** INR decimal string. */
    readonly startingPrice: string;
    /** Photos and documents, including hidden ones. */
    readonly media: readonly LotMedia[];
  }[];
}

/** Auction management by the bank, which the API has no operations for. */
export class AuctionControls {
  readonly #world: World;
  readonly #parties: SeededParties;

  /** @internal */
  constructor(world: World, parties: SeededParties) {
    this.#world = world;
    this.#parties = parties;
  }

  /** Returns all auctions. */
  list(): AuctionInfo[] {
    return [...this.#world.store.auctions.values()].map((auction) => this.#info(auction));
  }

  /** Returns the auction with this id or label. Throws a RangeError if there is none. */
  get(idOrLabel: string): AuctionInfo {
    return this.#info(namedAuction(this.#world, idOrLabel));
  }

  /**
   * Adds an auction in seed form. Minutes count from now, and lots start without bids. Throws a RangeError and
   * adds nothing if the auction is invalid or a label or id is already in use.
   */
  add(auction: AddedAuction): AuctionInfo {
    return this.#info(addAuction(this.#world, this.#parties, auction));
  }

  /** Opens an auction now. Throws a RangeError if it is already open or cancelled. */
  open(idOrLabel: string): void {
    this.moveOpen(idOrLabel, this.#world.clock.now());
  }

  /**
   * Moves the opening, earlier or later, but before the close. A past moment means now. Throws a RangeError if the
   * auction is already open or cancelled. The service does not announce a moved opening.
   */
  moveOpen(idOrLabel: string, to: Moment): void {
    const auction = namedAuction(this.#world, idOrLabel);
    const now = this.#world.clock.now();
    const startsAt = Math.max(unixMs(to), now);
    if (auction.cancelled) throw new RangeError(`The auction ${auction.label} cannot open: it is cancelled.`);
    if (auction.startsAt <= now) throw new RangeError(`The auction ${auction.label} has already opened.`);
    if (startsAt >= auction.endsAt) {
      throw new RangeError(`The auction ${auction.label} would close before it opens. Move its close first.`);
    }
    moveStart(this.#world, auction, startsAt);
  }

  /** Closes an auction now. Does nothing if it is over. Throws a RangeError if it has not opened. */
  close(idOrLabel: string): void {
    const auction = namedAuction(this.#world, idOrLabel);
    if (statusAt(auction, this.#world.clock.now()) === 'over') return;
    this.moveClose(idOrLabel, this.#world.clock.now());
  }

  /** Moves the close `ms` milliseconds later. Throws a RangeError if the auction is over. */
  extend(idOrLabel: string, ms: number): void {
    this.#moveBy(idOrLabel, ms, ms);
  }

  /** Moves the close `ms` milliseconds earlier, at most to now. Throws a RangeError if the auction is over. */
  shorten(idOrLabel: string, ms: number): void {
    this.#moveBy(idOrLabel, -ms, ms);
  }

  /**
   * Moves the close, earlier or later. A past moment means now. The service announces it as
   * `auction.schedule_changed`. An ended auction without sales reopens. Throws a RangeError if lots were awarded,
   * or if the close would not be after the opening.
   */
  moveClose(idOrLabel: string, to: Moment): void {
    const auction = namedAuction(this.#world, idOrLabel);
    const endsAt = Math.max(unixMs(to), this.#world.clock.now());
    if (auction.awarded && this.#world.flow.sales().some((sale) => sale.lot.auction === auction)) {
      throw new RangeError(`The close of ${auction.label} cannot move: its lots are awarded.`);
    }
    if (endsAt <= auction.startsAt) {
      throw new RangeError(
        `The auction ${auction.label} would close before it opens. Open or cancel it instead.`,
      );
    }
    moveEnd(this.#world, auction, endsAt);
  }

  /** Cancels an auction. It becomes unlisted and takes no bids. */
  cancel(idOrLabel: string): void {
    const auction = namedAuction(this.#world, idOrLabel);
    auction.cancelled = true;
    auction.revision += 1;
  }

  /** Withdraws a lot. It becomes unlisted and takes no bids. */
  withdraw(lotId: string): void {
    const lot = namedLot(this.#world, lotId);
    lot.withdrawn = true;
    lot.auction.revision += 1;
    touchLot(this.#world.clock, lot);
  }

  #moveBy(idOrLabel: string, by: number, ms: number): void {
    if (!(ms > 0) || ms === Infinity)
      throw new RangeError('extend() and shorten() need a number of milliseconds above 0.');
    const auction = namedAuction(this.#world, idOrLabel);
    if (statusAt(auction, this.#world.clock.now()) === 'over') {
      throw new RangeError(
        `The auction ${auction.label} is over. If nothing is awarded, reopen it with moveClose().`,
      );
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

/** Auction fields without the lots. */
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

/** An auction in seed form to add at run time, without bids. Minutes count from now. */
export type AddedAuction = Omit<SeedAuction, 'lots'> & {
  /** Number of lots to invent, or the lots. */
  readonly lots: number | readonly Omit<SeedLot, 'bids'>[];
};

/** Adds an auction and assigns it. Throws before any change. */
function addAuction(world: World, parties: SeededParties, given: AddedAuction): Auction {
  const { store, clock, ids, settings } = world;
  if (Array.isArray(given.lots) && given.lots.some((lot) => 'bids' in lot)) {
    throw new RangeError('add() does not accept bids on lots. Place them with rival.bid().');
  }
  const { auctions = [] } = checkSeed({ auctions: [given] });
  // Added auctions use a separate random sequence.
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

/** The assigned partners: all partners of the bank including named rivals, or the listed ones. */
function assignees(world: World, parties: SeededParties, { auction, assigned }: SeededAuction): Party[] {
  if (typeof assigned !== 'boolean') return assigned.map((name) => parties[name]);
  const isPartner = ({ actor, bankId }: Party) => actor === 'partner' && bankId === auction.bankId;
  return assigned ? world.parties.all().filter(isPartner) : [];
}

/** Finds an auction by id or label. Throws a RangeError if there is none. */
export function namedAuction({ store }: World, idOrLabel: string): Auction {
  const found = findAuction(store, idOrLabel);
  if (found === undefined) {
    const labels = [...store.auctions.values()].map(({ label }) => label).join(', ');
    throw new RangeError(`No auction has the id or label ${JSON.stringify(idOrLabel)}. Labels: ${labels}.`);
  }
  return found;
}

/** Finds a lot by id, including withdrawn ones. Throws a RangeError if there is none. */
export function namedLot({ store }: World, id: string): Lot {
  const lot = store.lots.get(id);
  if (lot === undefined)
    throw new RangeError(`No lot has the id ${JSON.stringify(id)}. List lots with sandbox.auctions.list().`);
  return lot;
}
