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
  return Number.isFinite(ms) ? ms : undefined;
}

export const momentHint =
  'must be a Date, an ISO 8601 date-time with a zone such as 2026-11-21T18:30:00+05:30, or Unix milliseconds';

function zonedMoment(text: string): number {
  return zonedDateTime.safeParse(text).success ? Date.parse(text) : Number.NaN;
}
