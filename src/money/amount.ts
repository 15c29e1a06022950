import { formats } from '../api/formats.js';

/**
 * Whether the service can take this text as an `amount`: a positive decimal string with at most 12 integer digits
 * and 2 decimals, without leading zeros (Limits). False for everything else, JS numbers included.
 */
export function isAmount(text: unknown): text is string {
  return formats.amount(text) === undefined;
}
