import { formats } from '../api/formats.js';
import { InvalidRequestError } from '../errors/local.js';

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
