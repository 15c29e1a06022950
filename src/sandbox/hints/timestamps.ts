import { limits } from '../../api/common.js';

/** What is wrong with an `X-Timestamp` that is refused, and what to do. `now` is Unix milliseconds. */
export function timestampHint(timestamp: string, now: number): string {
  if (timestamp === '') return 'X-Timestamp is missing or was sent more than once: send it once';
  if (!/^\d{1,15}$/.test(timestamp)) return 'X-Timestamp is not plain digits: send Unix seconds';
  if (Math.abs(Number(timestamp) - now) <= limits.clockDifferenceSeconds * 1_000) {
    return 'X-Timestamp is in milliseconds: sign and send Unix seconds';
  }
  if (/^0\d/.test(timestamp)) return 'X-Timestamp has a leading zero: send Unix seconds as they are';
  const seconds = Math.round(Number(timestamp) - now / 1_000);
  const where = seconds < 0 ? 'behind' : 'ahead of';
  return `X-Timestamp is ${Math.abs(seconds)} seconds ${where} the service: set the clock right, and sign just before sending`;
}
