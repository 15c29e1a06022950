import { describe, expect, it } from 'vitest';
import { playApprovals } from './runs.js';

/** `.ci/run` plays 2,000. */
const RUNS = Number(process.env['APPROVAL_RUNS'] ?? 25);
const FIRST = Number(process.env['APPROVAL_SEED'] ?? 1);
/** A test has so many at the most, that it ends in time on any machine. */
const BATCH = 25;

const batches = Array.from({ length: Math.ceil(RUNS / BATCH) }, (_, index) => FIRST + index * BATCH);

describe('decisions in seeded runs, while others move the sale, requests get lost and processes die', () => {
  const met = { runs: 0, crashes: 0, conflicts: 0, decisions: 0, statuses: new Set<string>() };

  it.each(batches)(
    'are made once, on the version that the policy saw, and audited before and after: from seed %i on',
    async (from) => {
      const wrong: string[] = [];
      for (let seed = from; seed < Math.min(from + BATCH, FIRST + RUNS); seed += 1) {
        const run = await playApprovals(seed);
        wrong.push(...run.violations.map((violation) => `seed ${seed}: ${violation}`));
        met.runs += 1;
        met.crashes += run.crashes;
        met.conflicts += run.conflicts;
        met.decisions += run.decisions;
        for (const status of run.statuses) met.statuses.add(status);
      }
      expect(wrong).toEqual([]);
    },
  );

  it.runIf(RUNS >= 200)('meet crashes, conflicts and every outcome, else they would prove nothing', () => {
    expect(met.runs).toBe(RUNS);
    expect(Math.min(met.crashes, met.conflicts, met.decisions)).toBeGreaterThan(RUNS / 5);
    const outcomes = ['approved', 'offered', 'pending_approval', 'held', 'waiting', 'not_pending'];
    const reasons = ['not_sent offer_expired', 'unknown in_doubt'];
    expect([...met.statuses]).toEqual(expect.arrayContaining([...outcomes, ...reasons]));
  });
});
