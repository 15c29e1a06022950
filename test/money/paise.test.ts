import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { fromPaise, toPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260301, numRuns: 300 });

describe('toPaise', () => {
  // rule: general.1
  it.each([
    ['465000', 46_500_000n],
    ['465000.5', 46_500_050n],
    ['465000.50', 46_500_050n],
    ['465000.05', 46_500_005n],
    ['0', 0n],
    ['0.01', 1n],
    ['-0.01', -1n],
    ['-12.3', -1230n],
    ['-0', 0n],
    ['007.10', 710n],
    ['999999999999.99', 99_999_999_999_999n],
    ['123456789012345678901234567890.12', 12_345_678_901_234_567_890_123_456_789_012n],
  ])('reads %s', (amount, paise) => {
    expect(toPaise(amount)).toBe(paise);
  });

  it.each([
    ...['', ' 1', '1 ', '1\n', '+1', '--1', '1.', '.5', '1.234', '1,000', '1e3', '0x10', 'NaN', 'Infinity'],
    ...['₹1', '१', '1.2.3'],
  ])('refuses %j', (amount) => {
    expect(() => toPaise(amount)).toThrow(InvalidRequestError);
  });

  it.each([465000, Number.NaN, 5n, null, undefined, ['1'], { amount: '1' }])(
    'refuses %s, no string',
    (value) => {
      // @ts-expect-error only strings are money
      expect(() => toPaise(value)).toThrow(InvalidRequestError);
    },
  );

  it('names the field and what is allowed', () => {
    // @ts-expect-error only strings are money
    expect(() => toPaise(465000.5, 'received_amount')).toThrow(
      expect.objectContaining({
        outcome: 'not_sent',
        issues: [
          {
            path: 'received_amount',
            message: 'must be a decimal string in INR such as "465000" or "465000.50", not a number',
          },
        ],
      }),
    );
    expect(() => toPaise('1.234', 'starting_price')).toThrow(/^starting_price must be a decimal string/);
  });
});

describe('fromPaise', () => {
  it.each([
    [46_500_000n, '465000.00'],
    [0n, '0.00'],
    [1n, '0.01'],
    [99n, '0.99'],
    [100n, '1.00'],
    [-1n, '-0.01'],
    [-46_500_050n, '-465000.50'],
  ])('writes %s', (paise, amount) => {
    expect(fromPaise(paise)).toBe(amount);
  });

  // rule: general.1
  it('undoes toPaise, at any size and sign', () => {
    fc.assert(fc.property(fc.bigInt(), (paise) => toPaise(fromPaise(paise)) === paise));
  });

  it('keeps order and sums, which doubles do not', () => {
    expect(fromPaise(toPaise('0.1') + toPaise('0.2'))).toBe('0.30');
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        expect(toPaise(fromPaise(a)) + toPaise(fromPaise(b))).toBe(a + b);
      }),
    );
  });
});
