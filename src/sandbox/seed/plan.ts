import { busyAuctions } from './busy.js';
import { checkSeed } from './schema.js';
import type { SandboxSeed, SeedAuction } from './seed.js';
import { type AuctionRow, auctions } from './tables.js';

/** What a sandbox is to begin with. */
export interface SeedPlan {
  /** What all that is invented is drawn from. */
  readonly random: number;
  /** Auctions that are invented as a whole. */
  readonly rows: readonly AuctionRow[];
  /** Auctions of the user's own, after them. */
  readonly own: readonly SeedAuction[];
  readonly credentials: NonNullable<SandboxSeed['credentials']>;
}

/** What the option `seed` asks for. Throws a RangeError when it can't be meant. */
export function planOf(seed: number | 'small' | 'busy' | SandboxSeed): SeedPlan {
  if (typeof seed === 'number') {
    if (!Number.isSafeInteger(seed)) throw new RangeError('seed, where it is a number, is a whole one');
    return planOf({ like: 'small', random: seed });
  }
  if (typeof seed === 'string') {
    if (seed !== 'small' && seed !== 'busy') {
      throw new RangeError('seed is a whole number, "small", "busy", or an object');
    }
    return planOf({ like: seed });
  }
  checkSeed(seed);
  const { random = 1, auctions: own = [], credentials = {} } = seed;
  const like = seed.like ?? (seed.auctions === undefined ? 'small' : undefined);
  return { random, rows: like === undefined ? [] : rows[like], own, credentials };
}

const rows = { small: auctions, busy: busyAuctions } as const;
