import { expect, it } from 'vitest';
import { probes } from '../../src/learn/learn.js';
import { unknowns } from '../../tools/generate/reference.js';
import { sourcesUnder, textOf } from '../support/sources.js';

const ids = unknowns.map(({ id }) => id as string);

it('Every gap in the API text that the source names has one row in the list of unknowns', () => {
  const named = sourcesUnder('src').flatMap((file) =>
    [...textOf(file).matchAll(/\(unknowns: ([^)]+)\)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/[a-z0-9]+(?:-[a-z0-9]+)+/g)].map(([id]) => `${id} in ${file}`),
    ),
  );
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((one) => !ids.includes(one.split(' ')[0] ?? ''))).toEqual([]);
});

it('Every probe of learn observes a row in the way that the row says', () => {
  const observable = unknowns.map(({ id, observable }) => `${id} ${observable}`);
  expect(unknowns.filter((row) => !['reading', 'writing', 'no'].includes(row.observable))).toEqual([]);
  expect(probes.filter(({ id, by }) => !observable.includes(`${id} ${by}`))).toEqual([]);
});
