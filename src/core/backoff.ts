import { headerOf, type Reply } from './reply.js';

const BASE_MS = 250;
const CAP_MS = 8_000;

/** Full jitter: anywhere from nothing to a ceiling that doubles with each failed attempt. */
export function backoffMs(failedAttempts: number, fraction: number): number {
  return Math.floor(fraction * Math.min(CAP_MS, BASE_MS * 2 ** (failedAttempts - 1)));
}

/** `Retry-After`, in seconds or as an HTTP date, as ms from `nowMs`; undefined where absent or unreadable. */
export function retryAfterMs(headers: Reply['headers'], nowMs: number): number | undefined {
  const value = headerOf(headers, 'retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/[A-Za-z]{3}/.test(value)) return undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  // The date is the service's, so its own Date is what it is measured from.
  const served = Date.parse(headerOf(headers, 'date') ?? '');
  return Math.max(0, at - (Number.isNaN(served) ? nowMs : served));
}
