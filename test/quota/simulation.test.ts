import { describe, expect, it } from 'vitest';
import { type Load, play } from './simulation.js';

/** 100 virtual hours in the long form; in the short one, as many as take a few seconds. */
const seeds = Array.from({ length: Number(process.env['QUOTA_SEEDS'] ?? 1) }, (_each, n) => n + 1);

const settings = { limit: 120, reserve: 24, window: 60_000, margin: 1_000 };
const mixed: Omit<Load, 'seed'> = {
  minutes: 60,
  processes: 4,
  settings,
  flood: { bid: 10, command: 10, read: 10, poll: 10 },
  trouble: false,
};

async function playAll(load: Omit<Load, 'seed'>) {
  const results = [];
  for (const seed of seeds) results.push({ seed, ...(await play({ ...load, seed })) });
  return results;
}

describe('an hour of four processes that share the quota', { timeout: 1_200_000 }, () => {
  it('never sends more than 120 in 60 seconds as the service counts, uses 95% of them, and starves no lane', async () => {
    for (const { seed, peak, perMinute, longestGapMs } of await playAll(mixed)) {
      expect({ seed, peak }).toEqual({ seed, peak: 120 });
      expect(perMinute, `seed ${seed}`).toBeGreaterThanOrEqual(114);
      expect(longestGapMs, `seed ${seed}`).toBeLessThan(63_000);
    }
  });

  it('never sends more than 120 while processes are killed, the network is slow, the store fails and its clock is set', async () => {
    for (const { seed, peak } of await playAll({ ...mixed, trouble: true })) {
      expect(peak, `seed ${seed}`).toBeLessThanOrEqual(120);
    }
  });

  it('sends a bid within a second while polls flood, and polls use the rest', async () => {
    const load = { ...mixed, flood: { poll: 40 }, bidEveryMs: 3_000 };
    for (const { seed, peak, slowestBidMs, byLane } of await playAll(load)) {
      expect(peak, `seed ${seed}`).toBeLessThanOrEqual(120);
      expect(slowestBidMs, `seed ${seed}`).toBeLessThan(1_000);
      expect(byLane.poll / 60, `seed ${seed}`).toBeGreaterThanOrEqual(90 * 0.95);
    }
  });
});

describe('a mistake that is planted shows', () => {
  const short = { ...mixed, minutes: 10, seed: 1 };

  it('a window that each process counts alone sends too many', async () => {
    expect((await play({ ...short, alone: true })).peak).toBeGreaterThan(120);
  });

  it('a quota without a reserve lets a bid wait behind polls', async () => {
    const load = { ...short, settings: { ...settings, reserve: 0 }, flood: { poll: 40 }, bidEveryMs: 1_000 };
    expect((await play(load)).slowestBidMs).toBeGreaterThan(1_000);
  });
});
