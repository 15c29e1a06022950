import { describe, expect, it } from 'vitest';
import { storeConformance } from '../../src/testing/index.js';
import { brokenStorage, brokenStores } from './broken-stores.js';
import { memoryStorage } from './kit.js';

const names = storeConformance(memoryStorage).map(({ name }) => name);

describe('the conformance suite', () => {
  it.each(brokenStores)('finds a store where $mistake by its case "$foundBy …"', async (broken) => {
    const cases = storeConformance(() => brokenStorage(broken), { shared: true });
    const found = cases.find(({ name }) => name.startsWith(broken.foundBy));
    await expect(found?.run()).rejects.toThrow(/expected .* found /s);
  });

  it('has a broken store for each of its cases, and no two cases of one name', () => {
    expect(new Set(names).size).toBe(names.length);
    const unbroken = names.filter((name) => !brokenStores.some(({ foundBy }) => name.startsWith(foundBy)));
    expect(unbroken).toEqual([]);
    // Each beginning names one case.
    for (const { foundBy } of brokenStores) {
      expect(names.filter((name) => name.startsWith(foundBy))).toHaveLength(1);
    }
  });
});
