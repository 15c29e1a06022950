import { describe, expect, it } from 'vitest';
import { defaultQuota, defaultReserve, quotaIssues, strictest } from '../../src/quota/lanes.js';

const paths = (over: object) => quotaIssues({ ...defaultQuota, ...over }).map(({ path }) => path);
const noNumbers = [-1, Number.NaN, null];

describe('quota settings', () => {
  it('are the limit of the service and a second of margin when left to the default', () => {
    expect(defaultQuota).toEqual({ limit: 120, reserve: 0, window: 60_000, margin: 1_000 });
    expect(quotaIssues(defaultQuota)).toEqual([]);
  });

  it.each<[string, taken: readonly unknown[], refused: readonly unknown[]]>([
    ['limit', [1, 120, Number.POSITIVE_INFINITY], [0, 1.5, Number.NEGATIVE_INFINITY, '120', ...noNumbers]],
    ['window', [0.5, 60_000], [0, Number.POSITIVE_INFINITY, '60000', ...noNumbers]],
    ['margin', [0, 1_000], [Number.POSITIVE_INFINITY, '0', ...noNumbers]],
    ['reserve', [0, 24, 110], [1.5, 111, Number.POSITIVE_INFINITY, '24', ...noNumbers]],
  ])('take what can pace requests, and refuse anything else by name: %s', (name, taken, refused) => {
    for (const value of taken) expect([value, paths({ [name]: value })]).toEqual([value, []]);
    for (const value of refused) expect([value, paths({ [name]: value })]).toEqual([value, [name]]);
  });

  it('reserve a fifth for bids where bids are placed, and nothing without a limit', () => {
    expect([120, 2, Number.POSITIVE_INFINITY].map(defaultReserve)).toEqual([24, 0, 0]);
  });

  it.each([
    [9, 8],
    [10, 6],
    [41, 34],
  ])('leave each other lane its share, from 10 requests on: of %i, bids reserve %i', (limit, most) => {
    expect([most, most + 1].map((reserve) => paths({ limit, reserve }))).toEqual([[], ['reserve']]);
  });

  it('are told everything that is wrong', () => {
    const wrong = { limit: 0, reserve: 0, window: 0, margin: -1 };
    expect(paths(wrong)).toEqual(['limit', 'window', 'margin']);
  });

  it('together are the strictest of each', () => {
    const one = { limit: 120, reserve: 24, window: 60_000, margin: 0 };
    const other = { limit: 240, reserve: 0, window: 30_000, margin: 2_000 };
    const both = { limit: 120, reserve: 24, window: 60_000, margin: 2_000 };
    expect(strictest(one, other)).toEqual(both);
    expect(strictest(other, one)).toEqual(both);
  });
});
