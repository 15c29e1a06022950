import { describe, expect, it } from 'vitest';
import { playSeed } from './run.js';
import { faultPoints } from './world/faults.js';

const SEEDS = 400;

describe('bids and commands amid faults', () => {
  it(`${SEEDS} seeds: nothing doubled, nothing lost, nothing misreported, and every fault struck`, {
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
    expect(faultPoints.filter((point) => !struck.has(point))).toEqual([]);
  });

  it('the same seed is the same run, event by event', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const { trace, steps } = await playSeed(seed);
      expect(await playSeed(seed)).toMatchObject({ trace, steps });
    }
  });

  it('another seed is another run', async () => {
    const traces = new Set<string>();
    for (let seed = 1; seed <= 30; seed += 1) traces.add((await playSeed(seed)).trace.join('\n'));
    expect(traces.size).toBe(30);
  });
});
