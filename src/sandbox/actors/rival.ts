import * as z from 'zod';
import type { Code } from '../../api/codes.js';
import { type Interest, interestIn, minimum, placeDirectly } from '../auctions/bidding.js';
import { latestOf, leader, statusAt } from '../auctions/catalogue.js';
import { namedAuction, namedLot } from '../auctions/controls.js';
import { paise, rupees } from '../money.js';
import type { Party } from '../parties.js';
import type { Lot } from '../records.js';
import { check, fields, money, quantity, yesOrNo } from '../schema.js';
import { least } from '../workflow/funds.js';
import type { World } from '../world.js';

/** The service refused or rejected a rival's bid. `codes` holds the reasons. */
export class RivalBidError extends Error {
  readonly codes: readonly Code[];

  constructor(codes: readonly Code[]) {
    super(`The rival's bid was not accepted: ${codes.join(', ')}.`);
    this.name = 'RivalBidError';
    this.codes = codes;
  }
}

/** An accepted bid of a rival. */
export interface RivalBid {
  readonly bidId: string;
  readonly lotVersion: number;
  /** INR decimal string. */
  readonly amount: string;
}

/** Options of `rival.follow()`. Pass either `lots` or `auction`. */
export interface FollowOptions {
  /** Ids of the lots to bid on. */
  readonly lots?: readonly string[];
  /** Id or label of an auction. The rival bids on all of its lots. */
  readonly auction?: string;
  /** Highest bid per lot, INR decimal string. Defaults to the dealer's limit. */
  readonly limit?: string;
  /** Delay before each answer, in milliseconds of sandbox time. Defaults to 1,000. */
  readonly answerAfter?: number;
  /** Whether the rival opens the bidding on lots without bids in an open auction. Defaults to false. */
  readonly opens?: boolean;
}

/** One bid made by a following rival. */
export interface RivalLogEntry {
  /** Server time, Unix milliseconds. */
  readonly at: number;
  readonly lotId: string;
  /** INR decimal string. */
  readonly amount: string;
  /** Id of the accepted bid. Null if the bid was not accepted. */
  readonly bidId: string | null;
  /** Reasons why the bid was not accepted. Empty for an accepted bid. */
  readonly codes: readonly Code[];
}

/** A running `rival.follow()`. */
export interface RivalHandle {
  /** Stops bidding. Bids already placed remain. */
  cancel(): void;
  /** Bids so far, oldest first. */
  readonly log: readonly RivalLogEntry[];
}

/** A competing dealer. It bids on demand or answers other bids, under the normal bidding rules. */
export class Rival {
  readonly #world: World;
  readonly #party: Party;
  readonly #others: Map<string, Rival>;

  /** @internal */
  constructor(world: World, party: Party, others = new Map<string, Rival>()) {
    this.#world = world;
    this.#party = party;
    this.#others = others;
  }

  /** Client id in the ledger and in `sandbox.partners`. */
  get clientId(): string {
    return this.#party.clientId;
  }

  /** Places a bid (INR decimal string). Throws a RivalBidError if the bid is not accepted. */
  bid(lotId: string, amount: string): RivalBid {
    return this.#place(interestIn(this.#party, namedLot(this.#world, lotId)), paise(amount));
  }

  /**
   * Bids the lowest valid amount. In an open auction this takes the lead. Without a bid increment, the amount is
   * one per cent of the starting price above the highest bid. Throws a RivalBidError if the bid is not accepted.
   */
  bidNext(lotId: string): RivalBid {
    const interest = interestIn(this.#party, namedLot(this.#world, lotId));
    return this.#place(interest, lowestValid(interest));
  }

  /**
   * Answers competing bids with the lowest leading amount, up to a limit, until the close or `cancel()`. In a
   * closed auction, the rival places one sealed bid per lot. Throws a RangeError for invalid options.
   */
  follow(options: FollowOptions): RivalHandle {
    check(followOptions, options, 'follow');
    const { lots: ids, auction, limit, answerAfter = 1_000, opens = false } = options;
    if ((ids === undefined) === (auction === undefined)) {
      throw new RangeError('follow() needs exactly one of lots and auction.');
    }
    const { store, clock } = this.#world;
    const lots =
      auction === undefined
        ? [...new Set(ids)].map((id) => namedLot(this.#world, id))
        : namedAuction(this.#world, auction).lots;
    const dealerLimit = paise(this.#party.facts.buyerLimit);
    const most = limit === undefined ? dealerLimit : least(paise(limit), dealerLimit);
    const log: RivalLogEntry[] = [];
    const waiting = new Map<Lot, () => void>();
    const look = (lot: Lot) => {
      if (waiting.has(lot) || !this.#wantsToBid(lot, opens)) return;
      const answer = () => {
        waiting.delete(lot);
        if (this.#wantsToBid(lot, opens)) log.push(...this.#answer(lot, most));
      };
      waiting.set(lot, clock.schedule(answerAfter, answer));
    };
    const watcher = (moved: readonly Lot[]) => lots.filter((lot) => moved.includes(lot)).forEach(look);
    store.watchers.add(watcher);
    lots.forEach(look);
    const cancel = () => {
      store.watchers.delete(watcher);
      for (const end of waiting.values()) end();
      waiting.clear();
    };
    return { cancel, log };
  }

  /**
   * Returns the rival with this name, creating it on first use as a separate dealer with the same auctions. Throws
   * a RangeError unless the name has 1 to 30 letters, digits or `_`.
   */
  as(name: string): Rival {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    if (!/^[A-Za-z0-9_]{1,30}$/.test(name)) {
      throw new RangeError(
        `The rival name ${JSON.stringify(name)} is invalid. Use 1 to 30 letters, digits or "_".`,
      );
    }
    const party: Party = {
      ...this.#party,
      clientId: `client_sbx_rival_${name}`,
      keyId: `key_sbx_rival_${name}_1`,
      signingSecret: `sandbox-only-secret-of-the-rival-${name}-0123456789`,
      partnerId: `ptn_rival_${name}`,
      facts: { ...this.#party.facts, dealerId: `D-${912 + this.#others.size}` },
    };
    this.#world.parties.add(party);
    const rival = new Rival(this.#world, party, this.#others);
    this.#others.set(name, rival);
    return rival;
  }

  #place(interest: Interest, amount: bigint): RivalBid {
    const outcome = placeDirectly(this.#world, { ...interest, amount });
    if (outcome.status !== 'accepted') throw new RivalBidError(outcome.codes);
    const { id, lotVersion } = outcome.bid;
    return { bidId: id, lotVersion, amount: rupees(amount) };
  }

  #wantsToBid(lot: Lot, opens: boolean): boolean {
    const { buyer } = interestIn(this.#party, lot);
    const { auction } = lot;
    const isLive = statusAt(auction, this.#world.clock.now()) === 'live';
    if (!isLive || auction.cancelled || lot.withdrawn) return false;
    if (auction.bidType === 'closed') return latestOf(lot, buyer) === undefined;
    const leading = leader(lot);
    return leading === undefined ? opens : leading.buyer !== buyer;
  }

  /** Places the lowest valid bid if it is within the limit. */
  #answer(lot: Lot, limit: bigint): RivalLogEntry[] {
    const interest = interestIn(this.#party, lot);
    const amount = lowestValid(interest);
    if (amount > limit) return [];
    const outcome = placeDirectly(this.#world, { ...interest, amount });
    const bidId = outcome.status === 'accepted' ? outcome.bid.id : null;
    const at = this.#world.clock.now();
    return [Object.freeze({ at, lotId: lot.id, amount: rupees(amount), bidId, codes: outcome.codes })];
  }
}

const followOptions = fields({
  lots: z.array(z.string(), 'must be a list of lot ids'),
  auction: z.string('must be the id or label of an auction'),
  limit: money,
  answerAfter: quantity('milliseconds'),
  opens: yesOrNo,
} satisfies Record<keyof FollowOptions, z.ZodType>).partial();

/**
 * Lowest amount on the increment grid and above the minimum, integer paise. Without a grid, one per cent of the
 * starting price above the bid to beat.
 */
function lowestValid(interest: Interest): bigint {
  const { lot, buyer } = interest;
  const { increment, bidType } = lot.auction;
  const floor = minimum(interest);
  if (increment > 0n) {
    const above = floor > lot.startingPrice ? floor - lot.startingPrice : 0n;
    return lot.startingPrice + ((above + increment - 1n) / increment) * increment;
  }
  const surpassed = bidType === 'open' ? leader(lot) : latestOf(lot, buyer);
  if (surpassed === undefined) return floor;
  // At least one rupee, in whole rupees.
  return floor + (lot.startingPrice / 10_000n || 1n) * 100n;
}
