import { describe, expect, it } from 'vitest';
import { storeConformance } from '../../src/testing/index.js';
import { brokenStorage, brokenStores } from './broken-stores.js';
import { memoryStorage } from './kit.js';

describe('the conformance suite', () => {
  it.each(brokenStores)('finds a store where $mistake by its case "$foundBy"', async (broken) => {
    const found = storeConformance(() => brokenStorage(broken), { shared: true }).find(
      ({ name }) => name === broken.foundBy,
    );
    await expect(found?.run()).rejects.toThrow(/expected .* found /s);
  });

  it('has a broken store for each of its cases, and no two cases of one name', () => {
    const names = storeConformance(memoryStorage).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...new Set(brokenStores.map(({ foundBy }) => foundBy))].sort()).toEqual([...names].sort());
  });
});
