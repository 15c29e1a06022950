import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import {
  type BidSituation,
  bidSituation,
  isOnGrid,
  minimumBid,
  nextBids,
} from '../../src/money/minimum-bid.js';
import { fromPaise, isAmount, toPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260305, numRuns: 500 });

const lot = { startingPrice: '450000.00', increment: '5000.00' };

describe('minimumBid', () => {
  // rule: bid.2, bid.3, bid.4, bid.5
  it.each<[string, BidSituation, string]>([
    ['open, no bid yet', { ...lot, bidType: 'open' }, '450000.00'],
    ['open, no bid yet (null)', { ...lot, bidType: 'open', highestAmount: null }, '450000.00'],
    ['open, led', { ...lot, bidType: 'open', highestAmount: '460000.00' }, '465000.00'],
    ['open, own bid does not count', { ...lot, bidType: 'open', ownAmount: '455000' }, '450000.00'],
    ['open, leader off today’s grid', { ...lot, bidType: 'open', highestAmount: '461000' }, '470000.00'],
    ['open, leader below opening', { ...lot, bidType: 'open', highestAmount: '400000' }, '450000.00'],
    ['closed, no own bid', { ...lot, bidType: 'closed', ownAmount: null }, '450000.00'],
    ['closed, own bid', { ...lot, bidType: 'closed', ownAmount: '455000' }, '460000.00'],
    [
      'closed, below a known leader',
      { ...lot, bidType: 'closed', ownAmount: '455000', highestAmount: '900000' },
      '460000.00',
    ],
    ['legacy, previous bid', { ...lot, bidType: 'legacy', previousAmount: '470000' }, '475000.00'],
    ['legacy, none: opening plus increment', { ...lot, bidType: 'legacy' }, '455000.00'],
    ['no grid, no bid', { ...lot, increment: '0', bidType: 'open' }, '450000.00'],
    ['no grid, led', { ...lot, increment: '0.00', bidType: 'open', highestAmount: '451234.56' }, '451234.56'],
    ['opening of zero: a bid is positive', { startingPrice: '0', increment: '0', bidType: 'open' }, '0.01'],
    ['opening of zero, on its grid', { startingPrice: '0', increment: '50', bidType: 'open' }, '50.00'],
  ])('%s', (_, situation, expected) => {
    expect(minimumBid(situation)).toBe(expected);
  });

  it('refuses another bid type', () => {
    // @ts-expect-error only the text's three
    expect(() => minimumBid({ ...lot, bidType: 'sealed' })).toThrow(/^bidType must be/);
  });

  it.each(['highestAmount', 'ownAmount', 'previousAmount'] as const)('refuses a bad %s', (field) => {
    const bidType = { highestAmount: 'open', ownAmount: 'closed', previousAmount: 'legacy' } as const;
    expect(() => minimumBid({ ...lot, bidType: bidType[field], [field]: '-5' })).toThrow(InvalidRequestError);
    expect(() => minimumBid({ ...lot, bidType: bidType[field], [field]: '5e3' })).toThrow(
      new RegExp(`^${field} `),
    );
  });

  it('is on the grid, at least the opening price, and an increment above the bid to beat', () => {
    const paise = fc.bigInt({ min: 0n, max: 10n ** 13n });
    fc.assert(
      fc.property(paise, paise, fc.option(paise), (opening, step, highest) => {
        const grid = { startingPrice: fromPaise(opening), increment: fromPaise(step) };
        const highestAmount = highest === null ? null : fromPaise(highest);
        const minimum = minimumBid({ ...grid, bidType: 'open', highestAmount });
        expect(isOnGrid({ ...grid, amount: minimum })).toBe(true);
        expect(toPaise(minimum)).toBeGreaterThanOrEqual(opening);
        if (highest !== null) expect(toPaise(minimum)).toBeGreaterThanOrEqual(highest + step);
        expect(minimum).toBe(minimumBid({ ...grid, bidType: 'closed', ownAmount: highestAmount }));
        const lower = toPaise(minimum) - step;
        const floor = highest === null ? opening : highest + step;
        if (step > 0n) expect(lower < floor || lower < opening || lower <= 0n).toBe(true);
      }),
    );
  });
});

describe('nextBids', () => {
  it('climbs the grid from the minimum', () => {
    expect(nextBids({ ...lot, bidType: 'open', highestAmount: '460000' }, 3)).toEqual([
      '465000.00',
      '470000.00',
      '475000.00',
    ]);
    expect(nextBids({ ...lot, bidType: 'closed' }, 0)).toEqual([]);
  });

  it('has one rung where there is no grid', () => {
    expect(nextBids({ ...lot, increment: '0', bidType: 'open' }, 5)).toEqual(['450000.00']);
    expect(nextBids({ ...lot, increment: '0', bidType: 'open' }, 0)).toEqual([]);
  });

  it('ends at the largest amount that can be sent', () => {
    const high = { startingPrice: '999999999990', increment: '5' };
    expect(nextBids({ ...high, bidType: 'open' }, 5)).toEqual(['999999999990.00', '999999999995.00']);
  });

  it.each([-1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY])('refuses a count of %s', (count) => {
    expect(() => nextBids({ ...lot, bidType: 'open' }, count)).toThrow(/^count must be/);
  });

  it('holds only sendable amounts on the grid, each one increment above the last', () => {
    const paise = fc.bigInt({ min: 1n, max: 10n ** 10n });
    fc.assert(
      fc.property(paise, paise, fc.integer({ min: 1, max: 12 }), (opening, step, count) => {
        const grid = { startingPrice: fromPaise(opening), increment: fromPaise(step) };
        const ladder = nextBids({ ...grid, bidType: 'legacy' }, count);
        expect(ladder).toHaveLength(count);
        expect(ladder[0]).toBe(minimumBid({ ...grid, bidType: 'legacy' }));
        for (const [rung, amount] of ladder.entries()) {
          expect(isAmount(amount) && isOnGrid({ ...grid, amount })).toBe(true);
          const below = ladder[rung - 1];
          if (below !== undefined) expect(toPaise(amount) - toPaise(below)).toBe(step);
        }
      }),
    );
  });
});

describe('bidSituation', () => {
  const read = { starting_price: '450000.00', highest_amount: '465000.00', own_amount: '455000.00' };

  it.each([
    ['open', '470000.00'],
    ['closed', '460000.00'],
  ])('takes an event and a lot as they were read: %s', (bid_type, minimum) => {
    const situation = bidSituation({ bid_type, bid_increment: '5000.00' }, read);
    expect(situation).toEqual({
      bidType: bid_type,
      startingPrice: '450000.00',
      increment: '5000.00',
      highestAmount: '465000.00',
      ownAmount: '455000.00',
    });
    expect(minimumBid(situation)).toBe(minimum);
  });

  it.each([{}, { bid_type: 'sealed' }])('guesses nothing of an event with %o', (event) => {
    expect(() => bidSituation({ ...event, bid_increment: '5000.00' }, read)).toThrow(/event\.bid_type/);
  });
});
