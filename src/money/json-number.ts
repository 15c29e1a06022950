import Big from 'big.js';
import { InvalidRequestError } from '../errors/local.js';

/** From here on neighbouring doubles are too far apart to tell every paisa from the next. */
const FIRST_INEXACT = 1e13;

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
  if (!Number.isFinite(value)) throw refused(field, 'must be a finite number');
  if (Math.abs(value) >= FIRST_INEXACT) {
    throw refused(
      field,
      'must have at most 13 integer digits: a larger JSON number does not hold every paisa',
    );
  }
  const exact = new Big(value);
  const decimal = exact.toFixed(2);
  if (!exact.eq(decimal)) throw refused(field, 'must have at most 2 decimals');
  return decimal;
}

function refused(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}
