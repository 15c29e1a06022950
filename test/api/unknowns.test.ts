import { describe, expect, it } from 'vitest';
import { unknowns } from '../../tools/generate/reference-lists.js';
import { sourcesUnder, textOf } from '../support/sources.js';

const ids = unknowns.map(({ id }) => id as string);

describe('what the API text leaves open', () => {
  it('has one row each', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
  });

  it('is told in sentences that fit a table', () => {
    for (const { id, where, unknown, meanwhile, settledBy } of unknowns) {
      expect(where, id).toMatch(/^[A-Z][^|\n]*[^.|\n]$/);
      for (const text of [unknown, meanwhile, settledBy]) expect(text, id).toMatch(/^[A-Z`0-9][^|\n]*\.$/);
    }
  });

  it('has a row for every gap that the source names', () => {
    const named = sourcesUnder('src').flatMap((file) =>
      [...textOf(file).matchAll(/\(unknowns: ([^)]+)\)/g)].flatMap(([, list = '']) =>
        [...list.matchAll(/[a-z0-9]+(?:-[a-z0-9]+)+/g)].map(([id]) => `${id} in ${file}`),
      ),
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((one) => !ids.includes(one.split(' ')[0] ?? ''))).toEqual([]);
  });
});
