import { type Amount, amountText, FIRST_INEXACT, formats } from '../api/formats.js';
import { InvalidRequestError } from '../errors/local.js';

/** More than any sum of money has. Reading a longer text would take time with the square of its length. */
const MOST_CHARS = 100;

/**
 * Converts an amount to integer paise, exactly (General rules, 1). Takes any money that the service sends: any number
 * of integer digits, at most 2 decimals, and a minus sign for differences.
 *
 * @param amount INR decimal string, such as `"465000"` or `"465000.50"`, or a `Big`.
 * @param field Name of the value in an error.
 * @throws InvalidRequestError for a JS number and for any other text; it names `field` and what is allowed.
 */
export function toPaise(amount: Amount, field = 'amount'): bigint {
  const [rupees = '', decimals = ''] = moneyText(amount, field).split('.');
  return BigInt(rupees + decimals.padEnd(2, '0'));
}

/** The decimal string of an amount that is valid money. */
export function moneyText(amount: Amount, field: string): string {
  const text: unknown = amountText(amount);
  if (typeof text !== 'string') {
    throw invalidMoney(
      field,
      'must be a decimal string in INR such as "465000" or "465000.50", not a number',
    );
  }
  if (text.length > MOST_CHARS) throw invalidMoney(field, `must have at most ${MOST_CHARS} characters`);
  if (formats.money(text) !== undefined) {
    throw invalidMoney(
      field,
      'must be a decimal string in INR: digits, with at most 2 decimals after a point',
    );
  }
  return text;
}

/**
 * Converts integer paise to an INR decimal string with 2 decimals: `46500000n` becomes `"465000.00"`.
 *
 * @throws InvalidRequestError for anything but a bigint.
 */
export function fromPaise(paise: bigint): string {
  if (typeof paise !== 'bigint')
    throw invalidMoney('paise', 'must be a bigint of integer paise, such as 46500000n');
  const digits = (paise < 0n ? -paise : paise).toString().padStart(3, '0');
  return `${paise < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `toPaise` for values that can't be negative: prices, increments, bids. */
export function toNonNegativePaise(amount: Amount, field: string): bigint {
  const paise = toPaise(amount, field);
  if (paise < 0n) throw invalidMoney(field, 'must not be negative');
  return paise;
}

function invalidMoney(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}

/**
 * Whether a value can be sent as an `amount`: a positive decimal string, or a `Big`, with at most 12 integer digits and
 * 2 decimals, without leading zeros (Limits). False for everything else, JS numbers included.
 */
export function isAmount(value: unknown): value is Amount {
  return formats.amount(amountText(value)) === undefined;
}

/**
 * Converts money that arrived as a JSON number to an INR decimal string with 2 decimals: the service's `current_amount`
 * (Bid submission response envelope). The result is the decimal of the JSON text, not the double's binary expansion.
 *
 * @param value The parsed JSON number, in rupees.
 * @param field Name of the value in an error.
 * @throws InvalidRequestError for anything but a finite number below ten trillion rupees with at most 2 decimals.
 */
export function decimalFromJsonNumber(value: number, field = 'amount'): string {
  if (!Number.isFinite(value)) throw invalidMoney(field, 'must be a finite number');
  if (Math.abs(value) >= FIRST_INEXACT) {
    throw invalidMoney(
      field,
      'must have at most 13 integer digits: a larger JSON number does not hold every paisa',
    );
  }
  // Below that limit a decimal of 2 places has at most 15 digits, and no two of them are the same double.
  const decimal = value.toFixed(2);
  if (Number(decimal) !== value) throw invalidMoney(field, 'must have at most 2 decimals');
  return decimal;
}

const MOST_PAISE = 10n ** BigInt(MOST_CHARS);

/**
 * Formats money for people, with Indian digit groups: `"465000"` becomes `"₹4,65,000.00"`. Exact at any size, and the
 * same on every runtime, because it needs no locale data.
 *
 * @param amount An INR decimal string, a `Big`, or integer paise as a bigint.
 * @throws InvalidRequestError for a JS number or other text.
 */
export function formatInr(amount: Amount | bigint): string {
  const paise = typeof amount === 'bigint' ? amount : toPaise(amount);
  if (paise >= MOST_PAISE || paise <= -MOST_PAISE) {
    throw invalidMoney('amount', `must have at most ${MOST_CHARS} digits`);
  }
  const [rupees = '', decimals = ''] = fromPaise(paise < 0n ? -paise : paise).split('.');
  // The last three digits form a group, those before them pairs: lakh, crore.
  const pairs = rupees.slice(0, -3).replace(/^\d(?=(\d\d)*$)|\d\d/g, '$&,');
  const grouped = pairs + rupees.slice(-3);
  return `${paise < 0n ? '-' : ''}₹${grouped}.${decimals}`;
}
