import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { fromPaise, toPaise } from '../../src/money/paise.js';
import { beforePercent, percentOf, type Rounding } from '../../src/money/percent.js';

fc.configureGlobal({ seed: 20260310, numRuns: 2_000 });

const roundings: readonly Rounding[] = ['half-up', 'half-even', 'down', 'up'];
const paise = fc.bigInt({ min: 0n, max: 10n ** 17n });
/** A percentage as a whole number of millionths, and as text. */
const percents = fc
  .record({ whole: fc.integer({ min: 0, max: 500 }), millionths: fc.integer({ min: 0, max: 999_999 }) })
  .map(({ whole, millionths }) => ({
    millionths: BigInt(whole) * 1_000_000n + BigInt(millionths),
    text: `${whole}.${String(millionths).padStart(6, '0')}`,
  }));
/** The product of paise and millionths of a percent has this many units to the paisa. */
const UNITS = 100_000_000n;

/** The percentage in paise, from whole numbers only. */
function expectedPercent(amount: bigint, millionths: bigint, round: Rounding): bigint {
  const product = amount * millionths;
  const low = product / UNITS;
  const rest = product % UNITS;
  if (rest === 0n || round === 'down') return low;
  if (round === 'up') return low + 1n;
  if (rest * 2n !== UNITS) return rest * 2n > UNITS ? low + 1n : low;
  return round === 'half-up' || low % 2n === 1n ? low + 1n : low;
}

describe('percentOf', () => {
  it('is exact, and rounds once, in every way of rounding', () => {
    fc.assert(
      fc.property(paise, percents, fc.constantFrom(...roundings), (amount, { millionths, text }, round) => {
        const result = percentOf(fromPaise(amount), text, { round });
        expect(toPaise(result)).toBe(expectedPercent(amount, millionths, round));
        expect(result).toMatch(/^\d+\.\d\d$/);
      }),
    );
  });

  it.each<[string, string, Rounding | undefined, string]>([
    ['465000', '18', undefined, '83700.00'],
    ['0.25', '10', 'half-up', '0.03'],
    ['0.25', '10', 'half-even', '0.02'],
    ['0.35', '10', 'half-even', '0.04'],
    ['0.29', '10', 'down', '0.02'],
    ['0.21', '10', 'up', '0.03'],
    ['0.25', '10', undefined, '0.03'],
    ['-0.25', '10', 'half-up', '-0.03'],
    ['-0.01', '10', 'down', '0.00'],
    ['1000000000000.01', '0.000001', 'half-up', '10000.00'],
    ['465000', '0', 'up', '0.00'],
  ])('of %s at %s percent, rounded %s, is %s', (amount, percent, round, expected) => {
    expect(percentOf(amount, percent, { round })).toBe(expected);
  });

  it.each([
    [18, 'percent'],
    ['-1', 'percent'],
    ['18%', 'percent'],
    ['', 'percent'],
    ['1e2', 'percent'],
    ['1'.repeat(1_000), 'percent'],
    [new Big('-1'), 'percent'],
  ])('refuses the percentage %s', (percent, path) => {
    for (const calculate of [percentOf, beforePercent]) {
      const call = () => Reflect.apply(calculate, undefined, ['100', percent]);
      expect(call).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }));
    }
  });

  it.each([465000, '1,000', undefined, new Big('0.001')])('refuses the amount %s', (amount) => {
    for (const calculate of [percentOf, beforePercent])
      expect(() => Reflect.apply(calculate, undefined, [amount, '18'])).toThrow(InvalidRequestError);
  });

  it('refuses a rounding that it does not have, such as the name of a member of every object', () => {
    for (const round of ['nearest', 'constructor', null]) {
      expect(() => Reflect.apply(percentOf, undefined, ['1', '1', { round }])).toThrow('options.round');
    }
  });

  it('rounds to whole rupees if asked, once, from the exact value', () => {
    expect(percentOf('100.49', '100', { to: 'rupee' })).toBe('100.00');
    expect(percentOf('1004.9', '10', { to: 'rupee', round: 'up' })).toBe('101.00');
    // Rounded to paise first it would be 0.50, and then a rupee.
    expect(percentOf('0.99', '50.1', { to: 'rupee' })).toBe('0.00');
    expect(() => Reflect.apply(percentOf, undefined, ['1', '1', { to: 'constructor' }])).toThrow(
      'options.to',
    );
  });

  it('is not changed by settings that a program makes on its Big', () => {
    const { DP, RM } = Big;
    Object.assign(Big, { DP: 0, RM: 3 });
    try {
      expect(percentOf('100.01', '2.5')).toBe('2.50');
      expect(beforePercent('118', '18')).toBe('100.00');
    } finally {
      Object.assign(Big, { DP, RM });
    }
  });
});

describe('beforePercent', () => {
  it('plus its percentage never exceeds the total, however that is rounded, and a paisa more would', () => {
    fc.assert(
      fc.property(paise, percents, (total, { millionths, text }) => {
        const before = toPaise(beforePercent(fromPaise(total), text));
        for (const round of roundings) {
          const percent = toPaise(percentOf(fromPaise(before), text, { round }));
          expect(before + percent <= total).toBe(true);
        }
        const next = before + 1n;
        expect(next + expectedPercent(next, millionths, 'up') > total).toBe(true);
      }),
    );
  });

  it('leaves room for a fee on the amount and a tax on both', () => {
    fc.assert(
      fc.property(paise, percents, percents, fc.constantFrom(...roundings), (budget, fee, tax, round) => {
        const bid = beforePercent(beforePercent(fromPaise(budget), tax.text), fee.text);
        const withFee = toPaise(bid) + toPaise(percentOf(bid, fee.text, { round }));
        const withTax = withFee + toPaise(percentOf(fromPaise(withFee), tax.text, { round }));
        expect(withTax <= budget).toBe(true);
      }),
    );
  });

  it.each([
    ['118', '18', '100.00'],
    ['100', '18', '84.74'],
    ['0', '18', '0.00'],
    ['0.01', '18', '0.00'],
    ['465000', '0', '465000.00'],
  ])('of %s at %s percent is %s', (total, percent, expected) => {
    expect(beforePercent(total, percent)).toBe(expected);
  });

  it('refuses a negative total', () => {
    expect(() => beforePercent('-1', '18')).toThrow('total must not be negative');
  });
});
