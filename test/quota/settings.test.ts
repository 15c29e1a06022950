import { describe, expect, it } from 'vitest';
import { defaultQuota, defaultReserve, quotaIssues, strictest } from '../../src/quota/lanes.js';

const paths = (over: object) => quotaIssues({ ...defaultQuota, ...over }).map(({ path }) => path);

describe('quota settings', () => {
  it('are the limit of the service and a second of margin when left to the default', () => {
    expect(defaultQuota).toEqual({ limit: 120, reserve: 0, windowMs: 60_000, marginMs: 1_000 });
    expect(quotaIssues(defaultQuota)).toEqual([]);
  });

  it.each([1, 120, Number.POSITIVE_INFINITY])('take the limit %s', (limit) => {
    expect(paths({ limit })).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, '120', null])('refuse the limit %s', (limit) => {
    expect(paths({ limit })).toEqual(['limit']);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60000', null])(
    'refuse the window %s',
    (windowMs) => {
      expect(paths({ windowMs })).toEqual(['windowMs']);
    },
  );

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '0', null])('refuse the margin %s', (marginMs) => {
    expect(paths({ marginMs })).toEqual(['marginMs']);
  });

  it.each([0, 24, 110])('take the reserve %s of 120', (reserve) => {
    expect(paths({ reserve })).toEqual([]);
  });

  it.each([-1, 1.5, 111, Number.NaN, Number.POSITIVE_INFINITY, '24', null])(
    'refuse the reserve %s',
    (reserve) => {
      expect(paths({ reserve })).toEqual(['reserve']);
    },
  );

  it('reserve a fifth for bids where bids are placed, and nothing without a limit', () => {
    expect([120, 2, Number.POSITIVE_INFINITY].map(defaultReserve)).toEqual([24, 0, 0]);
  });

  it('take fractions of a millisecond, and no margin', () => {
    expect(paths({ windowMs: 0.5, marginMs: 0 })).toEqual([]);
  });

  it('are told everything that is wrong, with what is allowed', () => {
    expect(quotaIssues({ limit: 0, reserve: 0, windowMs: 0, marginMs: -1 })).toEqual([
      { path: 'limit', message: 'must be a whole number from 1, or Infinity for no pacing' },
      { path: 'windowMs', message: 'must be a positive number of milliseconds' },
      { path: 'marginMs', message: 'must be a number of milliseconds from 0' },
    ]);
  });

  it('together are the strictest of each', () => {
    const one = { limit: 120, reserve: 24, windowMs: 60_000, marginMs: 0 };
    const other = { limit: 240, reserve: 0, windowMs: 30_000, marginMs: 2_000 };
    const both = { limit: 120, reserve: 24, windowMs: 60_000, marginMs: 2_000 };
    expect(strictest(one, other)).toEqual(both);
    expect(strictest(other, one)).toEqual(both);
  });
});
