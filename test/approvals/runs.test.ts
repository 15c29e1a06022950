import { expect, it } from 'vitest';
import { playApprovals } from './runs.js';

/** `.ci/run` plays 2,000. */
const RUNS = Number(process.env['APPROVAL_RUNS'] ?? 200);
const FIRST = Number(process.env['APPROVAL_SEED'] ?? 1);

it(`in ${RUNS} seeded runs every decision is made on the version that the policy saw, once, and audited before and after`, async () => {
  const wrong: string[] = [];
  let crashes = 0;
  let conflicts = 0;
  let decisions = 0;
  const statuses = new Map<string, number>();
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    const run = await playApprovals(seed);
    wrong.push(...run.violations.map((violation) => `seed ${seed}: ${violation}`));
    crashes += run.crashes;
    conflicts += run.conflicts;
    decisions += run.decisions;
    for (const status of run.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(wrong).toEqual([]);
  // Else the runs prove nothing.
  expect(Math.min(crashes, conflicts, decisions)).toBeGreaterThan(RUNS / 5);
  const met = [
    'approved',
    'offered',
    'pending_approval',
    'held',
    'waiting',
    'not_sent offer_expired',
    'unknown in_doubt',
  ];
  expect([...statuses.keys()]).toEqual(expect.arrayContaining(met));
});
