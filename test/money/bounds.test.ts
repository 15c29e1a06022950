import { expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { decimalFromJsonNumber, formatInr, fromPaise, toPaise } from '../../src/money/paise.js';

const longest = '9'.repeat(100);
const most = 10n ** 100n;

it('the longest text and the largest sum that are allowed are exact', () => {
  expect(toPaise(longest)).toBe(BigInt(longest) * 100n);
  expect(formatInr(most - 1n)).toMatch(/^₹.*99\.99$/);
  expect(formatInr(1n - most)).toMatch(/^-₹.*99\.99$/);
});

it.each([
  ['a text of 101 characters', () => toPaise(`${longest}9`), 'amount'],
  ['a sum of 101 digits', () => formatInr(most), 'amount'],
  ['a negative sum of 101 digits', () => formatInr(-most), 'amount'],
  ['a JS number as paise', () => Reflect.apply(fromPaise, undefined, [46_500_000]), 'paise'],
  ['a JSON number that is not finite', () => decimalFromJsonNumber(Number.NaN), 'amount'],
  ['a number as a decimal string', () => Reflect.apply(toPaise, undefined, [465_000]), 'amount'],
])('%s is refused by name', (_, attempt, field) => {
  expect(attempt).toThrow(InvalidRequestError);
  const issues = [{ path: field, message: expect.stringMatching(/^must /) }];
  expect(attempt).toThrow(expect.objectContaining({ issues }));
});
