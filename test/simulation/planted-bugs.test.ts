import { describe, expect, it } from 'vitest';
import { textOf } from '../support/sources.js';
import { plantedBugs } from './planted-bugs.js';
import { hunt } from './planting.js';

const quick = plantedBugs.filter(({ seed }) => seed !== undefined);

// All of them are hunted by `npm run test:simulation`.
describe('a planted bug', () => {
  it('has a name of its own, many siblings, and one place in the source', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
    expect(plantedBugs.length).toBeGreaterThanOrEqual(60);
    const stray = plantedBugs.filter(({ file, find }) => textOf(file).split(find).length !== 2);
    expect(stray).toEqual([]);
  });

  it.each(quick.map((bug) => [bug.name, bug] as const))('is noticed: %s', async (_, bug) => {
    expect((await hunt(bug)).wrong).toEqual([]);
  });
});
