import * as z from 'zod';
import type { Code } from '../../api/codes.js';
import { accessCodes, brokenRules, type Interest, minimum } from '../auctions/bid-rules.js';
import { type BidOutcome, decideBid } from '../auctions/bidding.js';
import { statusAt } from '../auctions/catalogue.js';
import { namedAuction, namedLot } from '../auctions/controls.js';
import { buyerOf, latestOf, leader } from '../auctions/standings.js';
import type { Lot } from '../auctions/store.js';
import { paise, rupees } from '../money.js';
import type { Party } from '../parties.js';
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

/** One bid that a following rival made, or would have made. */
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
    return this.#place(lotId, () => paise(amount));
  }

  /**
   * Bids the lowest amount that the rules allow now, which in an open auction takes the lead; where there is no grid, one
   * per cent of the opening above the highest. Throws a RivalBidError when it isn't accepted.
   */
  bidNext(lotId: string): RivalBid {
    return this.#place(lotId, lowestValid);
  }

  /**
   * Answers each bid of others with the lowest that takes the lead, after a while and up to a limit, until the close or
   * `cancel()`. In a closed auction it makes one sealed bid on each lot. Throws a RangeError for options that can't be
   * meant.
   */
  follow(options: FollowOptions): RivalHandle {
    const { lots, auction, limit, answerAfterMs = 1_000, opens = false } = options;
    check(followOptions, options, 'follow');
    if ((lots === undefined) === (auction === undefined)) {
      throw new RangeError('a rival follows either lots or an auction');
    }
    const all =
      auction === undefined
        ? [...new Set(lots)].map((id) => namedLot(this.#world, id))
        : this.#world.store.lotsOf(namedAuction(this.#world, auction).id);
    const dealerLimit = paise(this.#party.facts.buyerLimit);
    const own = limit === undefined ? dealerLimit : paise(limit);
    const manner = { limit: least(own, dealerLimit), answerAfterMs, opens };
    return followLots(this.#world, this.#party, all, manner);
  }

  /**
   * The rival of another name: one more dealer, assigned to what this one is assigned to when it is first named. Throws a
   * RangeError unless the name is of letters, digits and `_`, 30 at most.
   */
  as(name: string): Rival {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    const party = anotherDealer(this.#party, name, this.#others.size);
    this.#world.parties.add(party);
    const rival = new Rival(this.#world, party, this.#others);
    this.#others.set(name, rival);
    return rival;
  }

  #place(lotId: string, amountFor: (interest: Interest) => bigint): RivalBid {
    const interest = interestIn(this.#world, this.#party, namedLot(this.#world, lotId));
    const outcome = place(this.#world, interest, amountFor(interest));
    if (outcome.status !== 'accepted') throw new RivalBidError(outcome.codes);
    const { id, lotVersion, amount } = outcome.bid;
    return { bidId: id, lotVersion, amount: rupees(amount) };
  }
}

const followOptions = fields({
  lots: z.array(z.string(), 'must be a list of lot ids').optional(),
  auction: z.string('must be the id or label of an auction').optional(),
  limit: money.optional(),
  answerAfterMs: amountOf('milliseconds').optional(),
  opens: yesOrNo.optional(),
});

interface Manner {
  /** Integer paise. */
  readonly limit: bigint;
  readonly answerAfterMs: number;
  readonly opens: boolean;
}

function followLots(world: World, party: Party, lots: readonly Lot[], manner: Manner): RivalHandle {
  const log: RivalLogEntry[] = [];
  const waiting = new Map<string, () => void>();
  const watched = new Map(lots.map((lot) => [lot.id, lot]));
  const look = (lot: Lot) => {
    if (waiting.has(lot.id) || !hasReason(world, party, lot, manner)) return;
    const act = () => {
      waiting.delete(lot.id);
      if (hasReason(world, party, lot, manner)) log.push(...answer(world, party, lot, manner));
    };
    waiting.set(lot.id, world.clock.schedule(manner.answerAfterMs, act));
  };
  const ends = [
    world.market.onBid(({ lotId }) => {
      const lot = watched.get(lotId);
      // Nobody sees the bids of a closed auction, and neither does a rival.
      if (lot !== undefined && world.store.auctionOf(lot).bidType === 'open') look(lot);
    }),
    world.market.onSchedule(({ id }) => {
      for (const lot of lots) if (lot.auctionId === id) look(lot);
    }),
  ];
  for (const lot of lots) look(lot);
  return {
    cancel: () => {
      for (const end of [...ends, ...waiting.values()]) end();
      waiting.clear();
    },
    log,
  };
}

function hasReason(world: World, party: Party, lot: Lot, { opens }: Manner): boolean {
  const { auction, buyer } = interestIn(world, party, lot);
  if (statusAt(auction, world.clock.now()) !== 'live' || auction.cancelled || lot.withdrawn) return false;
  if (auction.bidType === 'closed') return latestOf(lot, buyer) === undefined;
  const leading = leader(lot);
  return leading === undefined ? opens : leading.buyer !== buyer;
}

/** The lowest bid that it can afford; none where it can't. */
function answer(world: World, party: Party, lot: Lot, { limit }: Manner): RivalLogEntry[] {
  const interest = interestIn(world, party, lot);
  const amount = lowestValid(interest);
  if (amount > limit) return [];
  const at = world.clock.now();
  const codes = objections(world, interest, amount);
  const outcome = codes.length > 0 ? undefined : place(world, interest, amount);
  const bidId = outcome?.status === 'accepted' ? outcome.bid.id : null;
  return [
    Object.freeze({ at, lotId: lot.id, amount: rupees(amount), bidId, codes: outcome?.codes ?? codes }),
  ];
}

/** One more dealer like the first; all of it is invented. */
function anotherDealer(first: Party, name: string, place: number): Party {
  if (!/^[A-Za-z0-9_]{1,30}$/.test(name)) {
    throw new RangeError('a rival is named with letters, digits and _, 30 at most');
  }
  return {
    ...first,
    clientId: `client_sbx_rival_${name}`,
    keyId: `key_sbx_rival_${name}_1`,
    signingSecret: `sandbox-only-secret-of-the-rival-${name}-0123456789`,
    partnerId: `ptn_rival_${name}`,
    facts: { ...first.facts, dealerId: `D-${912 + place}` },
  };
}

/** A dealer's wish to bid on a lot. */
function interestIn(world: World, party: Party, lot: Lot): Interest {
  return {
    party,
    auction: world.store.auctionOf(lot),
    lot,
    dealerId: party.facts.dealerId,
    bidderReference: undefined,
    buyer: buyerOf(party, undefined),
  };
}

/** Places a bid as the service would take it from a request that arrives now. */
function place(world: World, interest: Interest, amount: bigint): BidOutcome {
  const { ids, clock } = world;
  return decideBid(
    world,
    { ...interest, amount },
    {
      requestId: ids.next('req'),
      idempotencyKey: ids.uuid(),
      receivedAt: clock.now(),
      fingerprint: '',
    },
  );
}

/** Why a bid would not be accepted now; nothing is recorded. */
function objections(world: World, interest: Interest, amount: bigint): Code[] {
  const now = world.clock.now();
  const refused = accessCodes(interest, now);
  return refused.length > 0 ? refused : brokenRules({ ...interest, amount }, now);
}

/** The lowest amount that grid and minimum allow, integer paise; without a grid, one step above what it must surpass. */
function lowestValid(interest: Interest): bigint {
  const { auction, lot } = interest;
  const least = minimum(interest);
  if (auction.increment === 0n) return surpassed(interest) ? least + stepOn(interest) : least;
  const above = least > lot.startingPrice ? least - lot.startingPrice : 0n;
  return lot.startingPrice + roundedUp(above, auction.increment);
}

/** By how much bids rise: the increment; where there is none, one per cent of the opening in whole rupees. */
function stepOn({ auction, lot }: Interest): bigint {
  if (auction.increment > 0n) return auction.increment;
  const percent = lot.startingPrice / 100n;
  return percent < rupee ? rupee : percent - (percent % rupee);
}

/** Whether there is a bid that the next one has to surpass: anybody's, or in a closed auction the dealer's own. */
function surpassed({ auction, lot, buyer }: Interest): boolean {
  const previous = auction.bidType === 'open' ? leader(lot) : latestOf(lot, buyer);
  return previous !== undefined;
}

function roundedUp(amount: bigint, step: bigint): bigint {
  return ((amount + step - 1n) / step) * step;
}

const rupee = paise('1');
