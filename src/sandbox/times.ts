/** A moment: Unix milliseconds, or an ISO 8601 date-time with a zone. */
export type Moment = number | string;

/** Converts a moment to Unix milliseconds. Throws a RangeError for an invalid one. */
export function unixMs(moment: Moment): number {
  const ms = typeof moment === 'number' ? moment : zoned.test(moment) ? Date.parse(moment) : Number.NaN;
  if (!(ms >= earliestMs && ms < endMs)) {
    throw new RangeError(
      'A moment must be Unix milliseconds or an ISO 8601 date-time with a zone, in the years 0 to 9999 in India.',
    );
  }
  return ms;
}

/** Formats a server time: ISO 8601 in UTC with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Formats a `Date` header, truncated to seconds. */
export const httpDate = (ms: number): string => new Date(ms).toUTCString();

/** Formats a schedule time: ISO 8601 with the offset of India, and milliseconds only if not zero. */
export function isoInIndia(ms: number): string {
  const shifted = isoTime(ms + 330 * 60_000);
  return `${shifted.replace('.000Z', '').replace('Z', '')}+05:30`;
}

/** Formats a bid list time: `YYYY-MM-DD HH:MM:SS` in UTC without an offset. */
export function offsetlessTime(ms: number): string {
  return isoTime(ms).slice(0, 19).replace('T', ' ');
}

/** Range of four-digit years in India. */
const earliestMs = Date.parse('0000-01-01T00:00:00Z');
const endMs = Date.parse('9999-12-31T18:30:00Z');
const zoned = /^\d{4}-\d{2}-\d{2}T.+(?:Z|[+-]\d{2}:?\d{2})$/i;
