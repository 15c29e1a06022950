import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { decimalFromJsonNumber, fromPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260302, numRuns: 500 });

describe('decimalFromJsonNumber', () => {
  it.each([
    ['505000', '505000.00'],
    ['505000.0', '505000.00'],
    ['505000.5', '505000.50'],
    ['505000.05', '505000.05'],
    ['5.05e5', '505000.00'],
    ['1.1', '1.10'],
    ['0.07', '0.07'],
    ['0.29', '0.29'],
    ['1.15', '1.15'],
    ['-0.01', '-0.01'],
    ['0', '0.00'],
    ['-0', '0.00'],
    ['999999999999.99', '999999999999.99'],
    ['9999999999999.99', '9999999999999.99'],
  ])('reads the JSON number %s', (json, decimal) => {
    expect(decimalFromJsonNumber(JSON.parse(json))).toBe(decimal);
  });

  it.each([0.001, 1.005, 0.1 + 0.2, 1e-7, -0.001, 1e13, -1e13, 1e21, Number.MAX_VALUE])(
    'refuses %s',
    (value) => {
      expect(() => decimalFromJsonNumber(value)).toThrow(InvalidRequestError);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'refuses %s, not finite',
    (value) => {
      expect(() => decimalFromJsonNumber(value, 'current_amount')).toThrow(
        /^current_amount must be a finite number/,
      );
    },
  );

  it('refuses text, which is exact already and read by toPaise', () => {
    // @ts-expect-error JSON numbers only
    expect(() => decimalFromJsonNumber('505000')).toThrow(/finite number/);
  });

  it('gives back the decimal that stood in the JSON text, for every amount of up to 13 integer digits', () => {
    const largest = 999_999_999_999_999n;
    fc.assert(
      fc.property(fc.bigInt({ min: -largest, max: largest }), (paise) => {
        const text = fromPaise(paise);
        expect(decimalFromJsonNumber(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('never rounds: it returns the number exactly or refuses it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        let decimal: string;
        try {
          decimal = decimalFromJsonNumber(value);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
          return;
        }
        expect(Number(decimal)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});
