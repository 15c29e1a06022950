import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { formatInr, fromPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260303, numRuns: 300 });

describe('formatInr', () => {
  it.each([
    ['0', '₹0.00'],
    ['0.05', '₹0.05'],
    ['99.9', '₹99.90'],
    ['999', '₹999.00'],
    ['1000', '₹1,000.00'],
    ['99999', '₹99,999.00'],
    ['100000', '₹1,00,000.00'],
    ['465000.00', '₹4,65,000.00'],
    ['12345678.9', '₹1,23,45,678.90'],
    ['-465000.50', '-₹4,65,000.50'],
    ['-0.00', '₹0.00'],
    ['999999999999.99', '₹9,99,99,99,99,999.99'],
    ['123456789012345678901234567890.12', '₹1,23,45,67,89,01,23,45,67,89,01,23,45,67,890.12'],
  ])('writes %s', (amount, text) => {
    expect(formatInr(amount)).toBe(text);
  });

  it('takes paise as a bigint', () => {
    expect(formatInr(46_500_000n)).toBe('₹4,65,000.00');
    expect(formatInr(-1n)).toBe('-₹0.01');
  });

  it('refuses JS numbers and other text', () => {
    // @ts-expect-error numbers are not money
    expect(() => formatInr(465000)).toThrow(InvalidRequestError);
    expect(() => formatInr('4,65,000')).toThrow(InvalidRequestError);
  });

  it('agrees with the locale data of the platform, at any size', () => {
    const platform = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' });
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (paise) => {
        const parts = platform.formatToParts(paise < 0n ? -(-paise / 100n) : paise / 100n);
        const rupees = parts.filter(({ type }) => type === 'integer' || type === 'group');
        const sign = paise < 0n ? '-' : '';
        const decimals = fromPaise(paise).slice(-2);
        expect(formatInr(paise)).toBe(`${sign}₹${rupees.map(({ value }) => value).join('')}.${decimals}`);
      }),
    );
  });

  it('loses no digit', () => {
    fc.assert(
      fc.property(fc.bigInt(), (paise) => {
        expect(formatInr(paise).replace(/[₹,]/g, '')).toBe(fromPaise(paise));
      }),
    );
  });
});
