import { describe, expect, it } from 'vitest';
import { isThorough } from '../support/thorough.js';
import { playSeed } from './run.js';
import { evening, faultPoints } from './world/faults.js';

/** `.ci/run` plays 2,000 and `npm run test:simulation` 10,000, which ask of every fault that it strikes often. */
const SEEDS = 60;
/** Runs in which the service is healthy but for what passes. */
const EVENINGS = isThorough ? 50 : 10;
/** Seeds that are played twice. */
const REPEATED = isThorough ? 15 : 4;

describe('bids and commands amid faults', () => {
  it(`${SEEDS} seeds: nothing is doubled, lost or misreported, and nearly every fault strikes`, async () => {
    const struck = new Set<string>();
    const wrong: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violations, counts } = await playSeed(seed);
      for (const point of counts.keys()) struck.add(point);
      wrong.push(...violations.map((text) => `npm run test:simulation -- --seed ${seed} --trace: ${text}`));
    }
    expect(wrong).toEqual([]);
    expect(faultPoints.filter((point) => !struck.has(point)).length).toBeLessThan(5);
  });

  it('brings every bid that may still be sent to its verdict, and goes on with a batch that was killed, on evenings that pass', async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= EVENINGS; seed += 1) {
      const { violations } = await playSeed(seed, evening);
      wrong.push(...violations.map((text) => `evening ${seed}: ${text}`));
    }
    expect(wrong).toEqual([]);
  });

  it('makes the same run of the same seed, event by event, and another of every other', async () => {
    const traces = new Set<string>();
    for (let seed = 1; seed <= REPEATED; seed += 1) {
      const { trace, steps } = await playSeed(seed);
      expect(await playSeed(seed)).toMatchObject({ trace, steps });
      traces.add(trace.join('\n'));
    }
    expect(traces.size).toBe(REPEATED);
  });
});
