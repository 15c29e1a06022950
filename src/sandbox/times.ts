/** A moment as options and controls take it: Unix milliseconds or an ISO 8601 date-time with a zone. */
export type Moment = number | string;

/** Unix milliseconds of a moment; throws on what is none. */
export function unixMs(moment: Moment): number {
  const ms = typeof moment === 'number' ? moment : zoned.test(moment) ? Date.parse(moment) : Number.NaN;
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) {
    throw new RangeError('a moment is Unix milliseconds or an ISO 8601 date-time with a zone');
  }
  return ms;
}

/** ISO 8601 in UTC, with milliseconds: server times. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** ISO 8601 with the offset of India, as schedules are shown; milliseconds only where there are some. */
export function isoInIndia(ms: number): string {
  const shifted = new Date(ms + indiaOffsetMs).toISOString();
  return `${shifted.replace('.000Z', '').replace('Z', '')}+05:30`;
}

/** `YYYY-MM-DD HH:MM:SS` without an offset, in the zone given: the bid list. */
export function offsetlessTime(ms: number, zone: 'utc' | 'india'): string {
  const shifted = zone === 'utc' ? ms : ms + indiaOffsetMs;
  return new Date(shifted).toISOString().slice(0, 19).replace('T', ' ');
}

const indiaOffsetMs = 330 * 60_000;
const zoned = /^\d{4}-\d{2}-\d{2}T.+(?:Z|[+-]\d{2}:?\d{2})$/i;
