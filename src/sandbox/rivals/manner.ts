import { paise } from '../money.js';

/**
 * How a rival answers. `stepwise` goes one step above, `eager` one to five, `random` one to ten after up to twice its
 * usual time; `sniper` bids once, shortly before the close.
 */
export type Strategy = 'stepwise' | 'eager' | 'random' | 'sniper';

/** What a rival follows, and how. */
export interface FollowOptions {
  /** Ids of the lots to bid on. */
  readonly lots?: readonly string[];
  /** Id or label of the auction to bid on all lots of, in place of `lots`. */
  readonly auction?: string;
  readonly strategy: Strategy;
  /** Its highest bid on any lot, INR decimal string; what the dealer may bid at most when left out. */
  readonly limit?: string;
  /** The same seed makes the same choices. 1 when left out. */
  readonly seed?: number;
  /** Sandbox milliseconds before it answers, and a sniper's before the close. 1,000 when left out. */
  readonly reactAfterMs?: number;
  /** How likely it answers when it is outbid, 0 to 1. 1, always, when left out. */
  readonly chance?: number;
  /** Whether it makes the first bid on a lot of an open auction that nobody has bid on. False when left out. */
  readonly opens?: boolean;
}

/** How a rival bids, checked. */
export interface Manner {
  readonly strategy: Strategy;
  /** Integer paise; undefined for none of its own. */
  readonly limit: bigint | undefined;
  readonly reactAfterMs: number;
  readonly chance: number;
  readonly opens: boolean;
}

/** How these options have a rival bid. Throws a RangeError when they can't be meant. */
export function mannerOf(options: FollowOptions): Manner {
  const { strategy, limit, reactAfterMs = 1_000, chance = 1, opens = false } = options;
  if (!strategies.has(strategy)) {
    throw new RangeError(
      `no strategy ${JSON.stringify(strategy)}; strategies are ${[...strategies].join(', ')}`,
    );
  }
  if (!(reactAfterMs >= 0) || !Number.isFinite(reactAfterMs)) {
    throw new RangeError('reactAfterMs is milliseconds, 0 or more');
  }
  if (!(chance >= 0 && chance <= 1)) throw new RangeError('chance is a number from 0 to 1');
  return {
    strategy,
    limit: limit === undefined ? undefined : paise(limit),
    reactAfterMs,
    chance,
    opens,
  };
}

const strategies: ReadonlySet<string> = new Set<Strategy>(['stepwise', 'eager', 'random', 'sniper']);
