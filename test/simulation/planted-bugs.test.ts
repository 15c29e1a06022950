import { describe, expect, it } from 'vitest';
import { plantedBugs } from './planted-bugs.js';
import { hunt } from './planting.js';

describe('a planted bug', () => {
  it('has many siblings, each with a name of its own', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
  });

  it.each(plantedBugs.map((bug) => [bug.name, bug] as const))('is noticed: %s', async (_, bug) => {
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
