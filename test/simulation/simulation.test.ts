import { describe, expect, it } from 'vitest';
import { playSeed } from './run.js';
import { faultPoints } from './world/faults.js';

/** `npm run test:simulation` plays 10,000, and asks of every fault that it strikes often. */
const SEEDS = 150;

describe('bids and commands amid faults', () => {
  it(`${SEEDS} seeds: nothing is doubled, lost or misreported, and nearly every fault strikes`, {
    timeout: 180_000,
  }, async () => {
    const struck = new Set<string>();
    const wrong: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violations, counts } = await playSeed(seed);
      for (const point of counts.keys()) struck.add(point);
      if (violations.length > 0)
        wrong.push(`npm run test:simulation -- --seed ${seed} --trace`, ...violations);
    }
    expect(wrong).toEqual([]);
    expect(faultPoints.filter((point) => !struck.has(point)).length).toBeLessThan(5);
  });

  it('makes the same run of the same seed, event by event', async () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const { trace, steps } = await playSeed(seed);
      expect(await playSeed(seed)).toMatchObject({ trace, steps });
    }
  });

  it('makes another run of another seed', async () => {
    const traces = new Set<string>();
    for (let seed = 1; seed <= 30; seed += 1) traces.add((await playSeed(seed)).trace.join('\n'));
    expect(traces.size).toBe(30);
  });
});
