import type { Big, BigConstructor, RoundingMode } from 'big.js';
import { type Amount, amountText } from '../api/formats.js';
import { InvalidRequestError } from '../errors/local.js';
import { loadBig } from './decimal.js';
import { moneyText } from './paise.js';

let ownBig: BigConstructor | undefined;

/** A number of a constructor of our own, so that settings of a program's `Big` change nothing. Quotients are cut to paise. */
function decimal(text: string): Big {
  if (ownBig === undefined) {
    ownBig = loadBig()();
    Object.assign(ownBig, { DP: 2, RM: modes.down });
  }
  return new ownBig(text);
}

const modes = { down: 0, 'half-up': 1, 'half-even': 2, up: 3 } as const satisfies Record<
  string,
  RoundingMode
>;

/** How a result is rounded to paise: `half-up` and `up` round away from zero, `down` towards it. */
export type Rounding = keyof typeof modes;

/** How a percentage is rounded, once, from its exact value. */
export interface RoundingOptions {
  /** Defaults to `half-up`. */
  readonly round?: Rounding | undefined;
  /** Rounds to whole paise (the default) or whole rupees. */
  readonly to?: 'paisa' | 'rupee' | undefined;
}

/** Decimals of an INR amount that is rounded to this unit. */
const decimals = { paisa: 2, rupee: 0 } as const;

/**
 * Calculates a percentage of an amount, such as a fee or a tax, exactly, and rounds the result once.
 *
 * @param amount INR decimal string or `Big`; may be negative.
 * @param percent Percentage as a decimal string such as `'18'` or `'2.5'`, or a `Big`; not negative.
 * @param options `round` defaults to `half-up`, `to` to `paisa`.
 * @returns INR decimal string with 2 decimals.
 * @throws InvalidRequestError for a value that is not an amount or a percentage, or another `round` or `to`.
 */
export function percentOf(
  amount: Amount,
  percent: Amount,
  { round = 'half-up', to = 'paisa' }: RoundingOptions = {},
): string {
  if (!Object.hasOwn(modes, round)) {
    throw invalidPercentage('options.round', `must be one of ${Object.keys(modes).join(', ')}`);
  }
  if (!Object.hasOwn(decimals, to)) {
    throw invalidPercentage('options.to', `must be one of ${Object.keys(decimals).join(', ')}`);
  }
  const exact = decimal(moneyText(amount, 'amount')).times(fraction(percent));
  return textOfPaise(exact.round(decimals[to], modes[round]));
}

/**
 * Calculates the highest amount to which a percentage can be added without exceeding a total: the bid that a budget
 * allows when a fee or a tax comes on top. The sum of the result and `percentOf` it never exceeds the total, whichever
 * way the percentage is rounded.
 *
 * @param total INR decimal string or `Big`; not negative.
 * @param percent Percentage as a decimal string such as `'18'` or `'2.5'`, or a `Big`; not negative.
 * @returns INR decimal string with 2 decimals.
 * @throws InvalidRequestError for a value that is not an amount or a percentage.
 */
export function beforePercent(total: Amount, percent: Amount): string {
  const text = moneyText(total, 'total');
  if (text.startsWith('-')) throw invalidPercentage('total', 'must not be negative');
  // Cut to paise: the percentage of the result is at most what remains, a whole number of paise, even rounded up.
  return textOfPaise(decimal(text).div(fraction(percent).plus(1)));
}

const PERCENT = /^\d{1,9}(?:\.\d{1,9})?$/;

/** What a percentage must be, for messages. */
export const PERCENTAGE = 'must be a percentage as a decimal string such as "18" or "2.5", not a number';

export function isPercentage(percent: Amount): boolean {
  const text: unknown = amountText(percent);
  return typeof text === 'string' && PERCENT.test(text);
}

function fraction(percent: Amount): Big {
  if (!isPercentage(percent)) throw invalidPercentage('percent', PERCENTAGE);
  return decimal(amountText(percent)).times('0.01');
}

/** Without the minus sign that big.js keeps for zero. */
function textOfPaise(amount: Big): string {
  return amount.toFixed(2).replace(/^-(0\.00)$/, '$1');
}

function invalidPercentage(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}
