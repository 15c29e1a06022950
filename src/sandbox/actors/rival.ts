import * as z from 'zod';
import type { Code } from '../../api/codes.js';
import { type Interest, interestIn, minimum, placeDirectly } from '../auctions/bidding.js';
import { latestOf, leader, statusAt } from '../auctions/catalogue.js';
import { namedAuction, namedLot } from '../auctions/controls.js';
import { paise, rupees } from '../money.js';
import type { Party } from '../parties.js';
import type { Lot } from '../records.js';
import { amountOf, check, fields, money, yesOrNo } from '../schema.js';
import { least } from '../workflow/funds.js';
import type { World } from '../world.js';

/** The rival's bid was refused or rejected; `codes` says why. */
export class RivalBidError extends Error {
  readonly codes: readonly Code[];

  constructor(codes: readonly Code[]) {
    super(`the rival's bid was not accepted: ${codes.join(', ')}`);
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

/** What a rival follows, and how it answers. */
export interface FollowOptions {
  /** Ids of the lots to bid on. */
  readonly lots?: readonly string[];
  /** Id or label of the auction to bid on all lots of, in place of `lots`. */
  readonly auction?: string;
  /** Its highest bid on any lot, INR decimal string; what the dealer may bid at most when left out. */
  readonly limit?: string;
  /** Sandbox milliseconds before it answers; 1,000 when left out. */
  readonly answerAfterMs?: number;
  /** Whether it makes the first bid on a lot of an open auction that nobody has bid on. False when left out. */
  readonly opens?: boolean;
}

/** One bid that a following rival made. */
export interface RivalLogEntry {
  /** Server time, Unix milliseconds. */
  readonly at: number;
  readonly lotId: string;
  /** INR decimal string. */
  readonly amount: string;
  /** Id of the accepted bid; null where it was not accepted. */
  readonly bidId: string | null;
  /** Why it was not accepted; empty for one that was. */
  readonly codes: readonly Code[];
}

/** A rival at work. */
export interface RivalHandle {
  /** Ends it: it makes no more bids. What was bid stays. */
  cancel(): void;
  /** What it did so far, oldest first. */
  readonly log: readonly RivalLogEntry[];
}

/** Another dealer, who bids when told to, or answers other bids, under the same rules as everybody. */
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

  /** Its client id in the ledger and in `sandbox.partners`. */
  get clientId(): string {
    return this.#party.clientId;
  }

  /** Places a bid (INR decimal string). Throws a RivalBidError when it isn't accepted. */
  bid(lotId: string, amount: string): RivalBid {
    return this.#place(interestIn(this.#party, namedLot(this.#world, lotId)), paise(amount));
  }

  /**
   * Bids the lowest amount that the rules allow now, which in an open auction takes the lead; where there is no grid, one
   * per cent of the opening above the highest. Throws a RivalBidError when it isn't accepted.
   */
  bidNext(lotId: string): RivalBid {
    const interest = interestIn(this.#party, namedLot(this.#world, lotId));
    return this.#place(interest, lowestValid(interest));
  }

  /**
   * Answers each bid of others with the lowest that takes the lead, after a while and up to a limit, until the close or
   * `cancel()`. In a closed auction it makes one sealed bid on each lot. Throws a RangeError for options that can't be
   * meant.
   */
  follow(options: FollowOptions): RivalHandle {
    check(followOptions, options, 'follow');
    const { lots: ids, auction, limit, answerAfterMs = 1_000, opens = false } = options;
    if ((ids === undefined) === (auction === undefined)) {
      throw new RangeError('a rival follows either lots or an auction');
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
      waiting.set(lot, clock.schedule(answerAfterMs, answer));
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
   * The rival of another name: one more dealer, assigned to what this one is assigned to when it is first named. Throws a
   * RangeError unless the name is of letters, digits and `_`, 30 at most.
   */
  as(name: string): Rival {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    if (!/^[A-Za-z0-9_]{1,30}$/.test(name)) {
      throw new RangeError('a rival is named with letters, digits and _, 30 at most');
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

  /** The lowest bid, where it can afford that. */
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
  answerAfterMs: amountOf('milliseconds'),
  opens: yesOrNo,
} satisfies Record<keyof FollowOptions, z.ZodType>).partial();

/** The lowest amount that grid and minimum allow, integer paise; without a grid, a step above what it must surpass. */
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
  // Whole rupees, and one at least.
  return floor + (lot.startingPrice / 10_000n || 1n) * 100n;
}
