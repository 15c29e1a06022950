import { describe, expect, it } from 'vitest';
import { isAmount } from '../../src/money/paise.js';

describe('isAmount', () => {
  // rule: limit.amount
  it.each(['1', '0.01', '0.1', '465000', '465000.5', '465000.50', '999999999999.99'])('takes %s', (text) => {
    expect(isAmount(text)).toBe(true);
  });

  // rule: limit.amount
  it.each([
    ...['0', '0.00', '-1', '+1', '01', '00.5', '1.', '.5', '1.005', '1000000000000', '1,000', '1e3', ' 1'],
    ...['1\n', '', 465000, null, undefined, 5n, ['1']],
  ])('refuses %s', (text) => {
    expect(isAmount(text)).toBe(false);
  });
});
