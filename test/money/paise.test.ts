import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { decimalFromJsonNumber, formatInr, fromPaise, isAmount, toPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20260301, numRuns: 300 });

const longest = '9'.repeat(100);
const most = 10n ** 100n;

/** Expects a refusal that names the field and says what it must be. */
function expectRefused(attempt: () => unknown, path = 'amount'): void {
  const issues = [{ path, message: expect.stringMatching(/^must \w/) }];
  const name = 'InvalidRequestError';
  expect(attempt).toThrow(expect.objectContaining({ name, outcome: 'not_sent', issues }));
}

// rule: general.1
it.each([
  ['465000', 46_500_000n],
  ['465000.5', 46_500_050n],
  ['465000.05', 46_500_005n],
  ['-12.3', -1230n],
  ['-0', 0n],
  ['007.10', 710n],
  [longest, BigInt(longest) * 100n],
])('The decimal string %s is exact in paise', (amount, paise) => {
  expect(toPaise(amount)).toBe(paise);
});

it.each([
  ...['', ' 1', '1 ', '1\n', '+1', '--1', '1.', '.5', '1.234', '1,000', '1e3', '0x10', 'NaN', 'Infinity'],
  ...['₹1', '१', '1.2.3', `${longest}9`, 465000, Number.NaN, 5n, null, undefined, ['1'], { amount: '1' }],
])('Money is never guessed from %o', (amount) => {
  expectRefused(() => Reflect.apply(toPaise, undefined, [amount]));
  expectRefused(() => Reflect.apply(toPaise, undefined, [amount, 'starting_price']), 'starting_price');
});

// rule: general.1
it('Paise become a decimal string and back, at any size and sign', () => {
  expect([0n, 1n, -46_500_050n].map(fromPaise)).toEqual(['0.00', '0.01', '-465000.50']);
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      expect(toPaise(fromPaise(a))).toBe(a);
      expect(toPaise(fromPaise(a)) + toPaise(fromPaise(b))).toBe(a + b);
    }),
  );
});

it.each([
  ['505000.5', '505000.50'],
  ['5.05e5', '505000.00'],
  ['0.29', '0.29'],
  ['-0', '0.00'],
  ['9999999999999.99', '9999999999999.99'],
])('The JSON number %s is read as %s', (json, decimal) => {
  expect(decimalFromJsonNumber(JSON.parse(json))).toBe(decimal);
});

it.each([
  ...[0.001, 1.005, 0.1 + 0.2, 1e-7, -0.001, 1e13, -1e13, 1e21, Number.MAX_VALUE],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '505000'],
])('The JSON number %s is refused: it is not money, or not exact', (value) => {
  const read = (...path: string[]) => Reflect.apply(decimalFromJsonNumber, undefined, [value, ...path]);
  expectRefused(() => read('current_amount'), 'current_amount');
  expectRefused(() => read());
});

it('The decimal of a JSON text comes back for every amount of up to 13 integer digits', () => {
  const largest = 999_999_999_999_999n;
  fc.assert(
    fc.property(fc.bigInt({ min: -largest, max: largest }), (paise) => {
      const text = fromPaise(paise);
      expect(decimalFromJsonNumber(JSON.parse(text))).toBe(text);
    }),
  );
});

it('A JSON number is never rounded: it is returned exactly or refused', () => {
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

it.each([
  ['-465000.50', '-₹4,65,000.50'],
  [46_500_000n, '₹4,65,000.00'],
])('%s is shown as %s', (amount, text) => {
  expect(formatInr(amount)).toBe(text);
});

it('Amounts are shown as the locale data of the platform shows them, at any size', () => {
  const platform = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' });
  fc.assert(
    fc.property(fc.bigInt({ min: 1n - most, max: most - 1n }), (paise) => {
      const parts = platform.formatToParts(paise < 0n ? -(-paise / 100n) : paise / 100n);
      const rupees = parts.filter(({ type }) => type === 'integer' || type === 'group');
      const sign = paise < 0n ? '-' : '';
      const decimals = fromPaise(paise).slice(-2);
      expect(formatInr(paise)).toBe(`${sign}₹${rupees.map(({ value }) => value).join('')}.${decimals}`);
    }),
  );
  for (const end of [most - 1n, 1n - most]) expect(formatInr(end)).toMatch(/^-?₹[\d,]+99\.99$/);
});

it.each<[string, (...args: never[]) => unknown, unknown, string]>([
  ['a sum of 101 digits shown', formatInr, most, 'amount'],
  ['a negative sum of 101 digits shown', formatInr, -most, 'amount'],
  ['a JS number shown', formatInr, 465_000, 'amount'],
  ['a JS number as paise', fromPaise, 46_500_000, 'paise'],
])('It is refused by name: %s', (_, attempt, value, path) => {
  expectRefused(() => Reflect.apply(attempt, undefined, [value]), path);
});

// rule: limit.amount
it.each(['1', '0.01', '0.1', '465000', '465000.50', '999999999999.99'])('%s can be an amount', (text) => {
  expect(isAmount(text)).toBe(true);
});

// rule: limit.amount
it.each([
  ...['0', '0.00', '-1', '+1', '01', '00.5', '1.', '.5', '1.005', '1000000000000', '1,000', '1e3', ' 1'],
  ...['1\n', '', 465000, null, undefined, 5n, ['1']],
])('%o can be no amount', (text) => {
  expect(isAmount(text)).toBe(false);
});
