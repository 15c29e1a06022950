import type { Code } from '../../api/codes.js';
import type { BidOutcome } from '../bidding.js';
import { paise, rupees } from '../money.js';
import { namedLot } from '../named.js';
import type { Party } from '../parties.js';
import type { World } from '../world.js';
import { secondDealer } from './dealers.js';
import { follow } from './follow.js';
import type { RivalHandle } from './log.js';
import type { FollowOptions } from './manner.js';
import { interestIn, lowestValid, place } from './placing.js';
import { runScript, type ScriptedBid } from './script.js';

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

/** Another dealer, who bids when told to, by a script or by a strategy, under the same rules as everybody. */
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

  /** What the ledger and `sandbox.partners` know it by. */
  get clientId(): string {
    return this.#party.clientId;
  }

  /** Places a bid (INR decimal string). Throws a RivalBidError when it isn't accepted. */
  bid(lotId: string, amount: string): RivalBid {
    return this.#place(lotId, () => paise(amount));
  }

  /**
   * Bids the lowest amount that the rules allow now, which in an open auction takes the lead; where there is no grid,
   * one per cent of the opening above the highest. Throws a RivalBidError when it isn't accepted.
   */
  bidNext(lotId: string): RivalBid {
    return this.#place(lotId, (interest) => lowestValid(this.#world, interest));
  }

  /**
   * Places bids at their times, by the sandbox's clock. One that isn't accepted throws nothing: the log says why.
   * Throws a RangeError, and plans nothing, when a line of the script can't be meant.
   */
  script(bids: readonly ScriptedBid[]): RivalHandle {
    return runScript(this.#world, this.#party, bids);
  }

  /**
   * Bids by a strategy until its limit, the close, or `cancel()`: the same seed and the same events make the same
   * bids. It never bids against itself and only what the rules allow, and what nobody is shown it doesn't know either:
   * in a closed auction it makes one sealed bid on a lot, whatever others do. Throws a RangeError on options that
   * can't be meant.
   */
  follow(options: FollowOptions): RivalHandle {
    return follow(this.#world, this.#party, options);
  }

  /**
   * The rival of another name: one dealer more, assigned to what this one is assigned to when it is first named.
   * Throws a RangeError unless the name is of letters, digits and `_`, 30 at most.
   */
  as(name: string): Rival {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    const party = secondDealer(this.#party, name, this.#others.size);
    this.#world.parties.add(party);
    const rival = new Rival(this.#world, party, this.#others);
    this.#others.set(name, rival);
    return rival;
  }

  #place(lotId: string, amountFor: (interest: ReturnType<typeof interestIn>) => bigint): RivalBid {
    const interest = interestIn(this.#world, this.#party, namedLot(this.#world, lotId));
    return accepted(place(this.#world, interest, amountFor(interest)));
  }
}

function accepted(outcome: BidOutcome): RivalBid {
  if (outcome.status !== 'accepted') throw new RivalBidError(outcome.codes);
  const { id, lotVersion, amount } = outcome.bid;
  return { bidId: id, lotVersion, amount: rupees(amount) };
}
