import { describe, expect, it } from 'vitest';
import { thoroughly } from '../support/thorough.js';
import { playSeed } from './run.js';
import { evening, faultPoints } from './world/faults.js';

/** `npm run test:simulation` plays 10,000, and asks of every fault that it strikes often. */
const SEEDS = thoroughly(40, 150);
/** Runs in which the service is healthy but for what passes. */
const EVENINGS = thoroughly(12, 50);
/** Runs that are compared with a second one of the same seed. */
const TWICE = thoroughly(5, 15);
/** Runs in which all processes place the same batch. */
const SHARED = thoroughly(4, 40);

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
    expect(faultPoints.filter((point) => !struck.has(point)).length).toBeLessThan(thoroughly(15, 5));
  });

  it('brings every bid that may still be sent to its verdict, and goes on with a batch that was killed, on evenings that pass', async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= EVENINGS; seed += 1) {
      const { violations } = await playSeed(seed, evening);
      wrong.push(...violations.map((text) => `evening ${seed}: ${text}`));
    }
    expect(wrong).toEqual([]);
  });

  it('places each row of a batch once where several processes place the same batch, some of which are killed', async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= SHARED; seed += 1) {
      const processes = seed % 2 === 0 ? 2 : 3;
      const shared = { processes, batch: true, sharedBatch: true } as const;
      for (const settings of [{ ...evening, ...shared }, shared]) {
        const { violations } = await playSeed(seed, settings);
        wrong.push(...violations.map((text) => `shared batch ${seed}: ${text}`));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('makes the same run of the same seed, event by event, and another of every other', async () => {
    const traces = new Set<string>();
    for (let seed = 1; seed <= TWICE; seed += 1) {
      const { trace, steps } = await playSeed(seed);
      expect(await playSeed(seed)).toMatchObject({ trace, steps });
      traces.add(trace.join('\n'));
    }
    expect(traces.size).toBe(TWICE);
  });
});
