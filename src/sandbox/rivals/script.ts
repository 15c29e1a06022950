import { paise } from '../money.js';
import { namedLot } from '../named.js';
import type { Party } from '../parties.js';
import type { Lot } from '../store.js';
import { type Moment, unixMs } from '../times.js';
import type { World } from '../world.js';
import { logged, type RivalHandle, type RivalLogEntry } from './log.js';
import { interestIn, lowestValid, place } from './placing.js';

/** A bid to come: after a while, or at a moment. */
export type ScriptedBid = ({ readonly after: number } | { readonly at: Moment }) & {
  /** Id of the lot. */
  readonly lot: string;
  /** INR decimal string, or `next`: the lowest amount that the rules allow then. */
  readonly amount: string;
  /** How many bids of `next` it makes; 1 when left out. */
  readonly times?: number;
  /** Milliseconds between them; 1,000 when left out. */
  readonly every?: number;
};

/** Checks the whole script, then sets its times. */
export function runScript(world: World, party: Party, bids: readonly ScriptedBid[]): RivalHandle {
  const lines = bids.map((bid) => planned(world, bid));
  const log: RivalLogEntry[] = [];
  const cancels = lines.flatMap(({ lot, amount, waits }) =>
    waits.map((wait) =>
      world.clock.schedule(wait, () => {
        const interest = interestIn(world, party, lot);
        const offered = amount ?? lowestValid(world, interest);
        log.push(logged(world.clock.now(), lot.id, offered, place(world, interest, offered)));
      }),
    ),
  );
  return {
    cancel: () => {
      for (const cancel of cancels) cancel();
    },
    log,
  };
}

interface Line {
  readonly lot: Lot;
  /** Undefined for the next valid amount. */
  readonly amount: bigint | undefined;
  /** Milliseconds from now. */
  readonly waits: readonly number[];
}

function planned(world: World, bid: ScriptedBid): Line {
  const { lot, amount, times = 1, every = 1_000 } = bid;
  if (!Number.isInteger(times) || times < 1 || times > mostTimes) {
    throw new RangeError(`times is a whole number from 1 to ${mostTimes}`);
  }
  if (!(every >= 0) || !Number.isFinite(every)) throw new RangeError('every is milliseconds, 0 or more');
  if (times > 1 && amount !== 'next') {
    throw new RangeError('the same amount can not be bid again; times goes with the amount "next"');
  }
  const first = firstWait(world, bid);
  return {
    lot: namedLot(world, lot),
    amount: amount === 'next' ? undefined : paise(amount),
    waits: Array.from({ length: times }, (_, place) => first + place * every),
  };
}

function firstWait({ clock }: World, bid: ScriptedBid): number {
  if ('after' in bid === 'at' in bid) throw new RangeError('a scripted bid has either after or at');
  const wait = 'after' in bid ? bid.after : unixMs(bid.at) - clock.now();
  if (!(wait >= 0) || !Number.isFinite(wait)) {
    throw new RangeError('after is milliseconds, 0 or more, and at is a moment that has not passed');
  }
  return wait;
}

const mostTimes = 10_000;
