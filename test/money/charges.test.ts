import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bidForBudget, type Charge, costOfBid } from '../../src/money/charges.js';
import { fromPaise, toPaise } from '../../src/money/paise.js';

fc.configureGlobal({ seed: 20261126, numRuns: 300 });

/** A fee with GST on it, and TCS on the whole price once it is above ten lakh. */
const charges: readonly Charge[] = [
  { name: 'fee', percent: '2.5' },
  { name: 'gst', percent: '18', of: ['fee'] },
  { name: 'tcs', percent: '1', above: '1000000' },
  { name: 'paperwork', amount: '2500' },
];

const percents = fc.integer({ min: 0, max: 4_000 }).map((hundredths) => String(hundredths / 100));
const roundings = fc.constantFrom('half-up', 'half-even', 'down', 'up' as const);
const units = fc.constantFrom('paisa', 'rupee' as const);
const paise = fc.bigInt({ min: 1n, max: 10n ** 10n });

/** Lists of charges of every kind: on the bid, on earlier charges, above a threshold, fixed. */
const anyCharges = fc
  .record({
    fee: percents,
    tax: percents,
    levy: percents,
    round: roundings,
    to: units,
    above: paise,
    fixed: paise,
  })
  .map(({ fee, tax, levy, round, to, above, fixed }): readonly Charge[] => [
    { name: 'fee', percent: fee, round, to },
    { name: 'tax', percent: tax, of: ['bid', 'fee'], round },
    { name: 'levy', percent: levy, of: ['bid', 'tax'], above: fromPaise(above), to },
    { name: 'fixed', amount: fromPaise(fixed / 1_000n) },
  ]);

describe('the cost of a bid', () => {
  it('adds every charge under its name, each on its own base', () => {
    expect(costOfBid('465000', charges)).toEqual({
      bid: '465000.00',
      charges: [
        { name: 'fee', amount: '11625.00' },
        { name: 'gst', amount: '2092.50' },
        { name: 'tcs', amount: '0.00' },
        { name: 'paperwork', amount: '2500.00' },
      ],
      total: '481217.50',
    });
  });

  it.each([
    ['1000000', '0.00'],
    ['1000000.01', '10000.00'],
    ['1200000', '12000.00'],
  ])('charges a percentage above a threshold on the whole base: %s gives %s', (bid, tcs) => {
    expect(costOfBid(bid, charges).charges).toContainEqual({ name: 'tcs', amount: tcs });
  });

  it('rounds each charge once, as the charge says', () => {
    const rounded = [
      { name: 'down', percent: '2.5', round: 'down' },
      { name: 'up', percent: '2.5', round: 'up' },
      { name: 'rupees', percent: '2.5', to: 'rupee' },
    ] as const;
    expect(costOfBid(new Big('100.3'), rounded)).toMatchObject({
      charges: [{ amount: '2.50' }, { amount: '2.51' }, { amount: '3.00' }],
      total: '108.31',
    });
  });

  it('is the bid where nothing comes on top', () => {
    expect(costOfBid('0.01', [])).toEqual({ bid: '0.01', charges: [], total: '0.01' });
  });
});

describe('the bid that a budget allows', () => {
  it.each([
    ['481217.50', '465000.00'],
    ['481217.49', '464999.99'],
    // Above ten lakh the charge would take ten thousand rupees at once: the bid stays at ten lakh.
    ['1040000', '1000000.00'],
    ['1042000', '1000000.00'],
    ['1044000.01', '1001924.01'],
    ['2500', undefined],
  ])('of %s is %s', (budget, bid) => {
    expect(bidForBudget(budget, charges)).toBe(bid);
  });

  it('costs no more than the budget, and a paisa more would', () => {
    fc.assert(
      fc.property(paise, anyCharges, (budget, list) => {
        const bid = bidForBudget(fromPaise(budget), list);
        const cost = (amount: bigint) => toPaise(costOfBid(fromPaise(amount), list).total);
        expect(bid === undefined).toBe(cost(1n) > budget);
        if (bid === undefined) return;
        expect(cost(toPaise(bid)) <= budget && cost(toPaise(bid) + 1n) > budget).toBe(true);
      }),
    );
  });

  it('goes there and back', () => {
    fc.assert(
      fc.property(paise, anyCharges, (bid, list) => {
        const back = bidForBudget(costOfBid(fromPaise(bid), list).total, list);
        expect(back).toBe(fromPaise(bid));
      }),
    );
  });
});

it.each<[unknown, string]>([
  [[{ name: 'bid', percent: '1' }], 'charges.0.name'],
  [[{ name: '', percent: '1' }], 'charges.0.name'],
  [
    [
      { name: 'fee', percent: '1' },
      { name: 'fee', percent: '1' },
    ],
    'charges.1.name',
  ],
  [[{ name: 'fee' }], 'charges.0'],
  [[{ name: 'fee', percent: '1', amount: '1' }], 'charges.0'],
  [[{ name: 'fee', percent: 2.5 }], 'charges.0.percent'],
  [[{ name: 'fee', amount: 5 }], 'charges.0.amount'],
  [[{ name: 'fee', amount: '-5' }], 'charges.0.amount'],
  [[{ name: 'fee', percent: '1', above: 10 }], 'charges.0.above'],
  [
    [
      { name: 'gst', percent: '18', of: ['fee'] },
      { name: 'fee', percent: '1' },
    ],
    'charges.0.of',
  ],
  [[{ name: 'gst', percent: '18', of: ['gst'] }], 'charges.0.of'],
  [[{ name: 'gst', percent: '18', of: ['bid', 'bid'] }], 'charges.0.of'],
  [[{ name: 'gst', percent: '18', of: [] }], 'charges.0.of'],
  [[null], 'charges.0.name'],
  ['fee', 'charges'],
])('charges that contradict themselves are refused: %j', (list, path) => {
  for (const calculate of [costOfBid, bidForBudget]) {
    const attempt = () => Reflect.apply(calculate, undefined, ['100', list]);
    const issues = expect.arrayContaining([expect.objectContaining({ path })]);
    expect(attempt).toThrow(expect.objectContaining({ name: 'InvalidRequestError', issues }));
  }
});

it('an amount that is not money is refused', () => {
  expect(() => costOfBid('-1', charges)).toThrow('bid must not be negative');
  expect(() => bidForBudget('-1', charges)).toThrow('budget must not be negative');
});
