import { responseOf } from 'vehicle-auction-sdk';

/** Server time at which something was read, Unix milliseconds: dates that the service judges are counted from it. */
export function serverTimeOf(read: object): number {
  return Date.parse(responseOf(read).serverTime ?? '') || Date.now();
}

/** ISO 8601. */
export function daysAfter(unixMs: number, days: number): string {
  return new Date(unixMs + days * 86_400_000).toISOString();
}
