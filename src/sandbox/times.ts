/** A moment as options and controls take it: Unix milliseconds or an ISO 8601 date-time with a zone. */
export type Moment = number | string;

/** Unix milliseconds of a moment; throws on what is none. */
export function unixMs(moment: Moment): number {
  const ms = typeof moment === 'number' ? moment : zoned.test(moment) ? Date.parse(moment) : Number.NaN;
  if (!(ms >= earliestMs && ms < endMs)) {
    throw new RangeError(
      'a moment is Unix milliseconds or an ISO 8601 date-time with a zone, in the years 0 to 9999 of India',
    );
  }
  return ms;
}

/** ISO 8601 in UTC, with milliseconds: server times. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** As the `Date` header has it: the second that a moment is in. */
export const httpDate = (ms: number): string => new Date(ms).toUTCString();

/** ISO 8601 with the offset of India, as schedules are shown; milliseconds only where there are some. */
export function isoInIndia(ms: number): string {
  const shifted = isoTime(ms + 330 * 60_000);
  return `${shifted.replace('.000Z', '').replace('Z', '')}+05:30`;
}

/** `YYYY-MM-DD HH:MM:SS` in UTC, without an offset: the bid list. */
export function offsetlessTime(ms: number): string {
  return isoTime(ms).slice(0, 19).replace('T', ' ');
}

/** What four digits of a year can tell. */
const earliestMs = Date.parse('0000-01-01T00:00:00Z');
const endMs = Date.parse('9999-12-31T18:30:00Z');
const zoned = /^\d{4}-\d{2}-\d{2}T.+(?:Z|[+-]\d{2}:?\d{2})$/i;
