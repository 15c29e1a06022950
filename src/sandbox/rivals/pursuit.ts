import type { Interest } from '../bid-rules.js';
import { statusAt } from '../catalogue.js';
import { paise } from '../money.js';
import type { Party } from '../parties.js';
import type { SeededRandom } from '../seed/random.js';
import { latestOf, leader } from '../standings.js';
import type { Lot } from '../store.js';
import type { World } from '../world.js';
import { logged, type RivalLogEntry } from './log.js';
import type { Manner } from './manner.js';
import { interestIn, lowestValid, objections, place, stepOn } from './placing.js';

/**
 * A rival's pursuit of one lot. It looks whenever something shows that it might bid, waits in its manner, and bids if
 * there is reason to still.
 */
export class Pursuit {
  readonly #world: World;
  readonly #interest: () => Interest;
  readonly #manner: Manner;
  readonly #random: SeededRandom;
  readonly #log: RivalLogEntry[];
  readonly #lot: Lot;
  #cancelWait: (() => void) | undefined;
  /** Whether it had its one go: a sealed bid, or a sniper's. */
  #hadItsGo = false;

  constructor(
    world: World,
    party: Party,
    lot: Lot,
    manner: Manner,
    random: SeededRandom,
    log: RivalLogEntry[],
  ) {
    this.#world = world;
    this.#interest = () => interestIn(world, party, lot);
    this.#manner = manner;
    this.#random = random;
    this.#log = log;
    this.#lot = lot;
  }

  get auctionId(): string {
    return this.#lot.auctionId;
  }

  /** Takes note of an accepted bid. Nobody sees the bids of a closed auction, and this one doesn't either. */
  bidMade(): void {
    if (this.#interest().auction.bidType === 'open') this.look();
  }

  /** Takes note of an opening or of another close. */
  scheduleMoved(): void {
    const { auction } = this.#interest();
    // With another close a sniper of an open auction gets another go; a sealed bid is made once.
    if (auction.bidType === 'open') this.#hadItsGo = false;
    if (this.#manner.strategy === 'sniper') this.stop();
    this.look();
  }

  /** Sets its time to bid, if it has reason to and none is set. */
  look(): void {
    if (this.#cancelWait !== undefined || this.#hadItsGo) return;
    const { auction } = this.#interest();
    if (statusAt(auction, this.#world.clock.now()) !== 'live') return;
    // A sniper waits for the last moment before it looks who leads.
    if (this.#manner.strategy !== 'sniper' && !this.#hasReason()) return;
    this.#cancelWait = this.#world.clock.schedule(this.#wait(), () => {
      this.#cancelWait = undefined;
      this.#act();
    });
  }

  stop(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
  }

  #act(): void {
    const { strategy, chance } = this.#manner;
    const interest = this.#interest();
    const sealed = interest.auction.bidType === 'closed';
    this.#hadItsGo = sealed || strategy === 'sniper';
    // Both are drawn in any case, so that every look costs the same numbers.
    const answers = this.#random.int(1_000_000) < chance * 1_000_000;
    const extra = this.#random.int(sealed ? sealedSteps : extraSteps[strategy]);
    if (answers && this.#hasReason()) this.#bid(interest, extra);
  }

  /** As many steps above the lowest amount as it can afford; none where it can't afford that. */
  #bid(interest: Interest, extra: number): void {
    const dealerLimit = paise(interest.party.facts.buyerLimit);
    const limits = [this.#manner.limit ?? dealerLimit, dealerLimit];
    const lowest = lowestValid(this.#world, interest);
    const amount = Array.from({ length: extra + 1 }, (_, steps) => lowest + BigInt(steps) * stepOn(interest))
      .filter((each) => limits.every((limit) => each <= limit))
      .at(-1);
    if (amount === undefined) return;
    const now = this.#world.clock.now();
    const codes = objections(this.#world, interest, amount);
    const outcome = codes.length > 0 ? { codes } : place(this.#world, interest, amount);
    this.#log.push(logged(now, this.#lot.id, amount, outcome));
  }

  #hasReason(): boolean {
    const { auction, lot, buyer } = this.#interest();
    if (statusAt(auction, this.#world.clock.now()) !== 'live' || auction.cancelled || lot.withdrawn) {
      return false;
    }
    if (auction.bidType === 'closed') return latestOf(lot, buyer) === undefined;
    const leading = leader(lot);
    return leading === undefined ? this.#manner.opens : leading.buyer !== buyer;
  }

  #wait(): number {
    const { strategy, reactAfterMs } = this.#manner;
    const { auction } = this.#interest();
    const left = auction.endsAt - this.#world.clock.now();
    if (strategy === 'sniper') return Math.max(0, left - Math.max(1, reactAfterMs));
    if (strategy !== 'random') return reactAfterMs;
    return this.#random.int(auction.bidType === 'closed' ? Math.max(1, left) : 2 * reactAfterMs + 1);
  }
}

/** A bid of each strategy is so many steps above the lowest, at most. */
const extraSteps = { stepwise: 1, eager: 5, random: 10, sniper: 1 } as const;
/** A sealed bid is one of so many steps from the lowest. */
const sealedSteps = 20;
