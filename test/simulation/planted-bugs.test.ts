import { describe, expect, it } from 'vitest';
import { plantedBugs } from './planted-bugs.js';
import { hunt } from './planting.js';

/** Every fourth here; `npm run test:simulation` hunts all of them. */
const sample = plantedBugs.filter((_, index) => index % 4 === 1);

/** A hunt plays hundreds of runs, and a busy machine takes its time. */
const HUNT_MS = 180_000;

describe('a planted bug', () => {
  it('has many siblings, each with a name of its own', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
  });

  it.each(sample.map((bug) => [bug.name, bug] as const))(
    'is noticed: %s',
    { timeout: HUNT_MS },
    async (_, bug) => {
      const caught = await hunt(bug);
      const kinds = caught?.violations.map((violation) => violation.split(':')[0]);
      expect(kinds, 'no seed shows it').toBeDefined();
      expect(caught?.without).toEqual([]);
      expect(
        bug.caughtBy.some((kind) => kinds?.includes(kind)),
        `${kinds} and not ${bug.caughtBy}`,
      ).toBe(true);
    },
  );
});
