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

it('Each row that can be observed has a probe of learn, and each probe such a row', () => {
  expect(unknowns.filter((row) => !['reading', 'writing', 'no'].includes(row.observable))).toEqual([]);
  const observable = unknowns.filter((row) => row.observable !== 'no');
  expect(probes.map(({ id, by }) => `${id} ${by}`).sort()).toEqual(
    observable.map((row) => `${row.id} ${row.observable}`).sort(),
  );
});
