import { FIRST_INEXACT, formats } from '../api/formats.js';
import { InvalidRequestError } from '../errors/local.js';

/** Far more than any sum of money has. */
const MOST_CHARS = 100;

/**
 * Integer paise of an INR decimal string, exactly (General rules, 1). Takes whatever the service sends as money:
 * any number of integer digits, so that totals fit, up to 2 decimals, and a minus sign for differences.
 *
 * @param amount INR decimal string, such as `"465000"` or `"465000.50"`.
 * @param field What the error calls the value.
 * @throws InvalidRequestError for a JS number and for any other text; it names `field` and what is allowed.
 */
export function toPaise(amount: string, field = 'amount'): bigint {
  if (typeof amount !== 'string') {
    throw invalid(field, 'must be a decimal string in INR such as "465000" or "465000.50", not a number');
  }
  // Reading takes time with the square of the length.
  if (amount.length > MOST_CHARS) throw invalid(field, `must have at most ${MOST_CHARS} characters`);
  if (formats.money(amount) !== undefined) {
    throw invalid(field, 'must be a decimal string in INR: digits, with at most 2 decimals after a point');
  }
  const [rupees = '', decimals = ''] = amount.split('.');
  return BigInt(rupees + decimals.padEnd(2, '0'));
}

/**
 * INR decimal string of integer paise, always with 2 decimals: `46500000n` becomes `"465000.00"`.
 *
 * @throws InvalidRequestError for anything but a bigint.
 */
export function fromPaise(paise: bigint): string {
  if (typeof paise !== 'bigint')
    throw invalid('paise', 'must be a bigint of integer paise, such as 46500000n');
  const digits = (paise < 0n ? -paise : paise).toString().padStart(3, '0');
  return `${paise < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** As `toPaise`, for values that can't be below zero: prices, increments, bids. */
export function toNonNegativePaise(amount: string, field: string): bigint {
  const paise = toPaise(amount, field);
  if (paise < 0n) throw invalid(field, 'must not be negative');
  return paise;
}

function invalid(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}

/**
 * Whether the service can take this text as an `amount`: a positive decimal string with at most 12 integer digits
 * and 2 decimals, without leading zeros (Limits). False for everything else, JS numbers included.
 */
export function isAmount(text: unknown): text is string {
  return formats.amount(text) === undefined;
}

/**
 * INR decimal string, with 2 decimals, of money that arrived as a JSON number: the service's `current_amount`
 * (Bid submission response envelope). The value is the decimal that stood in the JSON text, not the double's binary
 * expansion.
 *
 * @param value The parsed JSON number, in rupees.
 * @param field What the error calls the value.
 * @throws InvalidRequestError for anything but a finite number below ten trillion rupees with at most 2 decimals.
 */
export function decimalFromJsonNumber(value: number, field = 'amount'): string {
  if (!Number.isFinite(value)) throw invalid(field, 'must be a finite number');
  if (Math.abs(value) >= FIRST_INEXACT) {
    throw invalid(
      field,
      'must have at most 13 integer digits: a larger JSON number does not hold every paisa',
    );
  }
  // Below that limit a decimal of 2 places has at most 15 digits, and no two of them are the same double.
  const decimal = value.toFixed(2);
  if (Number(decimal) !== value) throw invalid(field, 'must have at most 2 decimals');
  return decimal;
}

const MOST_PAISE = 10n ** BigInt(MOST_CHARS);

/**
 * Money for people, grouped the Indian way: `"465000"` becomes `"₹4,65,000.00"`. Exact at any size, and the same on
 * every runtime, whatever locale data it was built with.
 *
 * @param amount An INR decimal string, or integer paise as a bigint.
 * @throws InvalidRequestError for a JS number or other text.
 */
export function formatInr(amount: string | bigint): string {
  const paise = typeof amount === 'bigint' ? amount : toPaise(amount);
  if (paise >= MOST_PAISE || paise <= -MOST_PAISE) {
    throw invalid('amount', `must have at most ${MOST_CHARS} digits`);
  }
  const [rupees = '', decimals = ''] = fromPaise(paise < 0n ? -paise : paise).split('.');
  // The last three digits form a group, those before them pairs: lakh, crore.
  const pairs = rupees.slice(0, -3).replace(/^\d(?=(\d\d)*$)|\d\d/g, '$&,');
  const grouped = pairs + rupees.slice(-3);
  return `${paise < 0n ? '-' : ''}₹${grouped}.${decimals}`;
}
