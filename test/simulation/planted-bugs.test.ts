import { describe, expect, it } from 'vitest';
import { plantedBugs } from './planted-bugs.js';
import { hunt } from './planting.js';

const quick = plantedBugs.filter(({ isQuick }) => isQuick === true);

// All of them are hunted by `npm run test:simulation`.
describe('a planted bug', () => {
  it('has a name of its own, and many siblings', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
    expect(plantedBugs.length).toBeGreaterThanOrEqual(60);
  });

  it.each(quick.map((bug) => [bug.name, bug] as const))('is noticed: %s', async (_, bug) => {
    const caught = await hunt(bug);
    const kinds = caught?.violations.map((violation) => violation.split(':')[0]);
    expect(kinds, 'no seed shows it').toBeDefined();
    expect(caught?.without).toEqual([]);
    expect(
      bug.caughtBy.some((kind) => kinds?.includes(kind)),
      `${kinds} and not ${bug.caughtBy}`,
    ).toBe(true);
  });
});
