import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BidSituation,
  bidSituation,
  highestOnGrid,
  isOnGrid,
  minimumBid,
  nextBids,
  nextOnGrid,
} from '../../src/money/minimum-bid.js';
import { fromPaise, isAmount, toPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260305, numRuns: 500 });

const lot = { startingPrice: '450000.00', increment: '5000.00' };

function expectRefused(attempt: () => unknown, path: string): void {
  const issues = [{ path, message: expect.stringMatching(/^must /) }];
  expect(attempt).toThrow(expect.objectContaining({ name: 'InvalidRequestError', issues }));
}

describe('the grid of a lot', () => {
  // rule: bid.1
  it.each<[string, object, string, boolean]>([
    ['holds the opening price', lot, '450000', true],
    ['holds a step above it', lot, '455000.0', true],
    ['holds nothing between two steps', lot, '450000.01', false],
    ['holds nothing below the opening price', lot, '445000', false],
    ['counts from the opening price', { startingPrice: '101', increment: '100' }, '201', true],
    ['does not count from zero', { startingPrice: '101', increment: '100' }, '200', false],
    ['counts in paise, where doubles would err', { startingPrice: '0.10', increment: '0.10' }, '0.30', true],
    ['is everywhere where the increment is zero', { increment: '0.00' }, '450000.01', true],
    ['has no floor where the increment is zero', { startingPrice: '100', increment: '0' }, '1', true],
  ])('%s: %o with %s', (_, grid, amount, expected) => {
    expect(isOnGrid({ ...lot, ...grid, amount })).toBe(expected);
  });

  it.each([
    [{ startingPrice: '-1', increment: '1', amount: '1' }, 'startingPrice'],
    [{ startingPrice: '1', increment: '-1', amount: '1' }, 'increment'],
    [{ startingPrice: '1', increment: '1', amount: '-1' }, 'amount'],
    [{ startingPrice: 'x', increment: '1', amount: '1' }, 'startingPrice'],
  ])('is not made of %j: %s is named', (input, path) => {
    expectRefused(() => isOnGrid(input), path);
  });

  it('has a next amount from any amount up, and none from a negative one', () => {
    expect(nextOnGrid({ ...lot, atLeast: '450000.01' })).toBe('455000.00');
    expect(nextOnGrid({ startingPrice: '450000', increment: '0', atLeast: '12.3' })).toBe('12.30');
    expectRefused(() => nextOnGrid({ ...lot, atLeast: '-1' }), 'atLeast');
  });

  it('has a next amount that is on it, not below what was asked, and the smallest of these', () => {
    const paise = fc.bigInt({ min: 0n, max: 10n ** 15n });
    const large = fc.bigInt({ min: 1n, max: 10n ** 15n });
    const smallOrLarge = fc.oneof(fc.bigInt({ min: 1n, max: 500n }), large);
    fc.assert(
      fc.property(paise, smallOrLarge, paise, (opening, step, wanted) => {
        const grid = { startingPrice: fromPaise(opening), increment: fromPaise(step) };
        const next = nextOnGrid({ ...grid, atLeast: fromPaise(wanted) });
        expect(isOnGrid({ ...grid, amount: next })).toBe(true);
        expect(toPaise(next)).toBeGreaterThanOrEqual(wanted);
        const below = toPaise(next) - step;
        expect(below < wanted || below < opening).toBe(true);
        expect(nextOnGrid({ ...grid, atLeast: next })).toBe(next);
      }),
    );
  });
});

describe('the minimum bid', () => {
  // rule: bid.2, bid.3, bid.4, bid.5
  it.each<[string, Partial<BidSituation>, string]>([
    ['open, no bid yet', { bidType: 'open', highestAmount: null }, '450000.00'],
    ['open, led', { bidType: 'open', highestAmount: '460000.00' }, '465000.00'],
    ['open, own bid does not count', { bidType: 'open', ownAmount: '455000' }, '450000.00'],
    ['open, leader off today’s grid', { bidType: 'open', highestAmount: '461000' }, '470000.00'],
    ['open, leader below opening', { bidType: 'open', highestAmount: '400000' }, '450000.00'],
    ['closed, no own bid', { bidType: 'closed', ownAmount: null }, '450000.00'],
    ['closed, led', { bidType: 'closed', ownAmount: '455000', highestAmount: '900000' }, '460000.00'],
    ['legacy, previous bid', { bidType: 'legacy', previousAmount: '470000' }, '475000.00'],
    ['legacy, none: opening plus increment', { bidType: 'legacy' }, '455000.00'],
    ['no grid, no bid', { increment: '0', bidType: 'open' }, '450000.00'],
    ['no grid, led', { increment: '0.00', bidType: 'open', highestAmount: '451234.56' }, '451234.56'],
    ['opening of zero: a bid is positive', { startingPrice: '0', increment: '0', bidType: 'open' }, '0.01'],
    ['opening of zero, on its grid', { startingPrice: '0', increment: '50', bidType: 'open' }, '50.00'],
  ])('is right: %s', (_, situation, expected) => {
    expect(minimumBid({ ...lot, bidType: 'open', ...situation })).toBe(expected);
  });

  it.each([
    ['bidType', 'sealed', 'sealed'],
    ['highestAmount', 'open', '-5'],
    ['ownAmount', 'closed', '5e3'],
    ['previousAmount', 'legacy', '-5'],
  ])('is not made of a bad %s', (field, bidType, value) => {
    expectRefused(() => Reflect.apply(minimumBid, undefined, [{ ...lot, bidType, [field]: value }]), field);
  });

  it('is on the grid, at least the opening price, and an increment above the bid to beat', () => {
    const paise = fc.bigInt({ min: 0n, max: 10n ** 13n });
    fc.assert(
      fc.property(paise, paise, fc.option(paise), (opening, step, highest) => {
        const grid = { startingPrice: fromPaise(opening), increment: fromPaise(step) };
        const highestAmount = highest === null ? null : fromPaise(highest);
        const minimum = minimumBid({ ...grid, bidType: 'open', highestAmount });
        expect(isOnGrid({ ...grid, amount: minimum })).toBe(true);
        const floor = highest === null || highest + step < opening ? opening : highest + step;
        expect(toPaise(minimum)).toBeGreaterThanOrEqual(floor);
        expect(minimum).toBe(minimumBid({ ...grid, bidType: 'closed', ownAmount: highestAmount }));
        const lower = toPaise(minimum) - step;
        if (step > 0n) expect(lower < floor || lower <= 0n).toBe(true);
      }),
    );
  });

  it.each([
    ['open', '470000.00'],
    ['closed', '460000.00'],
  ])('is that of an event and a lot as they were read: %s', (bid_type, minimum) => {
    const read = { starting_price: '450000.00', highest_amount: '465000.00', own_amount: '455000.00' };
    const situation = bidSituation({ bid_type, bid_increment: '5000.00' }, read);
    const amounts = { highestAmount: '465000.00', ownAmount: '455000.00' };
    expect(situation).toEqual({ ...lot, ...amounts, bidType: bid_type });
    expect(minimumBid(situation)).toBe(minimum);
  });

  it.each([{}, { bid_type: 'sealed' }])('is not guessed for an event with %o', (event) => {
    const make = () => bidSituation({ ...event, bid_increment: '5000.00' }, { starting_price: '1.00' });
    expect(make).toThrow(/event\.bid_type/);
  });
});

describe('the next bids', () => {
  it.each<[string, object, number, string[]]>([
    ['none', {}, 0, []],
    ['one where there is no grid', { increment: '0' }, 5, ['450000.00']],
    ['none where there is no grid', { increment: '0' }, 0, []],
    ['up to the largest that can be sent', { startingPrice: '999999999995' }, 5, ['999999999995.00']],
  ])('are %s', (_, situation, count, expected) => {
    expect(nextBids({ ...lot, bidType: 'open', ...situation }, count)).toEqual(expected);
  });

  it.each([-1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY])(
    'are as many as 1000, and never %s',
    (count) => {
      expect(nextBids({ ...lot, bidType: 'open' }, 1000)).toHaveLength(1000);
      expectRefused(() => nextBids({ ...lot, bidType: 'open' }, count), 'count');
    },
  );

  it('start at the minimum, can all be sent, and climb the grid one increment at a time', () => {
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

describe('the highest amount on the grid below a ceiling', () => {
  it.each<[string, object, string, string | undefined]>([
    ['is the last step below it', lot, '467499.99', '465000.00'],
    ['is the ceiling where that is on the grid', lot, '465000', '465000.00'],
    ['is the opening price at the least', lot, '450000', '450000.00'],
    ['does not exist below the opening price', lot, '449999.99', undefined],
    ['counts from the opening price', { startingPrice: '101', increment: '100' }, '250', '201.00'],
    ['is the ceiling where there is no grid', { startingPrice: '101', increment: '0' }, '250.55', '250.55'],
    ['is never zero', { startingPrice: '0', increment: '100' }, '99.99', undefined],
    ['can always be sent', { startingPrice: '1', increment: '0' }, '1000000000000', '999999999999.99'],
  ])('%s: %o', (_, grid, ceiling, expected) => {
    expect(highestOnGrid({ ...lot, ...grid }, ceiling)).toBe(expected);
  });

  it('is not below the minimum of the situation', () => {
    const open = { ...lot, bidType: 'open', highestAmount: '465000.00' } as const;
    expect(highestOnGrid(open, '469999.99')).toBeUndefined();
    expect(highestOnGrid(open, '470000')).toBe('470000.00');
    expect(highestOnGrid({ ...lot, bidType: 'closed', ownAmount: '450000' }, '462000')).toBe('460000.00');
  });

  it('is on the grid, and one step more is above the ceiling', () => {
    const paise = fc.bigInt({ min: 1n, max: 10n ** 13n });
    fc.assert(
      fc.property(paise, paise, paise, (opening, step, ceiling) => {
        const grid = { startingPrice: fromPaise(opening), increment: fromPaise(step) };
        const highest = highestOnGrid(grid, fromPaise(ceiling));
        expect(highest === undefined).toBe(ceiling < opening);
        if (highest === undefined) return;
        expect(isOnGrid({ ...grid, amount: highest })).toBe(true);
        expect(toPaise(highest) <= ceiling && toPaise(highest) + step > ceiling).toBe(true);
      }),
    );
  });

  it('refuses a ceiling that is not an amount', () => {
    expectRefused(() => highestOnGrid(lot, '-1'), 'ceiling');
  });
});
