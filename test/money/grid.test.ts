import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { isOnGrid, nextOnGrid } from '../../src/money/minimum-bid.js';
import { fromPaise, toPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260304, numRuns: 500 });

describe('isOnGrid', () => {
  const lot = { startingPrice: '450000.00', increment: '5000.00' };

  it.each([
    ['450000', true],
    ['455000.0', true],
    ['465000.00', true],
    ['450000.01', false],
    ['452500', false],
    ['445000', false],
    ['0', false],
  ])('%s: %s', (amount, expected) => {
    expect(isOnGrid({ ...lot, amount })).toBe(expected);
  });

  // rule: bid.1
  it('counts from the opening price, not from zero', () => {
    expect(isOnGrid({ startingPrice: '101', increment: '100', amount: '201' })).toBe(true);
    expect(isOnGrid({ startingPrice: '101', increment: '100', amount: '200' })).toBe(false);
  });

  // rule: bid.1
  it('counts in paise, where doubles would err', () => {
    expect(isOnGrid({ startingPrice: '0.10', increment: '0.10', amount: '0.30' })).toBe(true);
    expect(isOnGrid({ startingPrice: '0', increment: '0.01', amount: '999999999999.99' })).toBe(true);
  });

  // rule: bid.1
  it('has no grid where the increment is zero', () => {
    expect(isOnGrid({ startingPrice: '100', increment: '0.00', amount: '100.01' })).toBe(true);
    expect(isOnGrid({ startingPrice: '100', increment: '0', amount: '1' })).toBe(true);
  });

  it.each([
    [{ startingPrice: '-1', increment: '1', amount: '1' }, 'startingPrice'],
    [{ startingPrice: '1', increment: '-1', amount: '1' }, 'increment'],
    [{ startingPrice: '1', increment: '1', amount: '-1' }, 'amount'],
    [{ startingPrice: 'x', increment: '1', amount: '1' }, 'startingPrice'],
  ])('refuses %j, naming %s', (input, path) => {
    expect(() => isOnGrid(input)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path })] }),
    );
    expect(() => isOnGrid(input)).toThrow(InvalidRequestError);
  });
});

describe('nextOnGrid', () => {
  const lot = { startingPrice: '450000', increment: '5000' };

  it.each([
    ['0', '450000.00'],
    ['449999.99', '450000.00'],
    ['450000', '450000.00'],
    ['450000.01', '455000.00'],
    ['454999.99', '455000.00'],
    ['455000', '455000.00'],
  ])('from %s: %s', (atLeast, expected) => {
    expect(nextOnGrid({ ...lot, atLeast })).toBe(expected);
  });

  it('leaves the amount alone where the increment is zero', () => {
    expect(nextOnGrid({ startingPrice: '450000', increment: '0', atLeast: '12.3' })).toBe('12.30');
  });

  it('refuses a negative amount', () => {
    expect(() => nextOnGrid({ ...lot, atLeast: '-1' })).toThrow(/^atLeast must not be negative/);
  });

  it('is on the grid, not below what was asked, and nothing smaller is both', () => {
    const paise = fc.bigInt({ min: 0n, max: 10n ** 15n });
    const smallOrLarge = fc.oneof(
      fc.bigInt({ min: 1n, max: 500n }),
      paise.map((value) => value + 1n),
    );
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

  it('agrees with counting up one paisa at a time', () => {
    const few = fc.bigInt({ min: 0n, max: 60n });
    fc.assert(
      fc.property(few, fc.bigInt({ min: 1n, max: 20n }), few, (opening, step, wanted) => {
        const grid = { startingPrice: fromPaise(opening), increment: fromPaise(step) };
        let amount = wanted;
        while (!isOnGrid({ ...grid, amount: fromPaise(amount) })) amount += 1n;
        expect(nextOnGrid({ ...grid, atLeast: fromPaise(wanted) })).toBe(fromPaise(amount));
      }),
    );
  });
});
