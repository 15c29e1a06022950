import { zonedDateTime } from '../api/common.js';

/** Unix ms of a moment however a caller gives it; undefined where it is none. */
export function momentOf(value: unknown): number | undefined {
  const ms =
    value instanceof Date
      ? value.getTime()
      : typeof value === 'string'
        ? zonedMoment(value)
        : typeof value === 'number'
          ? value
          : Number.NaN;
  return Math.abs(ms) <= LATEST_MS ? ms : undefined;
}

/** The last moment that a Date can tell: what lies behind it can't be shown, nor written as text. */
const LATEST_MS = 8_640_000_000_000_000;

export const momentHint =
  'must be a Date, an ISO 8601 date-time with a zone such as 2026-11-21T18:30:00+05:30, or Unix milliseconds';

function zonedMoment(text: string): number {
  return zonedDateTime.safeParse(text).success ? Date.parse(text) : Number.NaN;
}
