import type { StatedTime } from '../ports/clock.js';

/** Headers of a reply, names in lower case. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a reply states server time. */
export interface TimedReply {
  /** The time in the JSON: `server_time`, or `timestamp` of an envelope. */
  readonly timestamp?: unknown;
  readonly headers: ReplyHeaders;
}

/**
 * Reads server time from a reply: the time in the JSON first, then the `Date` header. Undefined if neither is a time.
 *
 * @param nowMs for `httpDateMs`
 */
export function statedTimeOf({ timestamp, headers }: TimedReply, nowMs: number): StatedTime | undefined {
  // A cache may have kept a reply of age 0 for just under a second.
  const keptMs = headers['age'] === undefined ? 0 : 1_000;
  const [date] = valuesOf(headers['date']);
  const inHeader = date === undefined ? undefined : httpDateMs(date, nowMs);
  const inBody = zonedTimeMs(timestamp);
  if (inBody !== undefined) {
    const resolutionMs = unitOf(String(timestamp)) + keptMs;
    const stated = { serverMs: inBody, resolutionMs, source: 'body' } as const;
    return inHeader === undefined ? stated : { ...stated, behindDateMs: inHeader - inBody };
  }
  if (inHeader === undefined) return undefined;
  return { serverMs: inHeader, resolutionMs: 1_000 + keptMs, source: 'header' };
}

/** The unit that an ISO 8601 time is written in, ms. */
function unitOf(text: string): number {
  if (text.includes('.')) return 1;
  return /T\d\d:\d\d:/.test(text) ? 1_000 : 60_000;
}

/**
 * Returns the header that shows that a cache answered, such as `age: 240`; undefined if no header does.
 *
 * Covers `Age` (RFC 9111), `Cache-Status` (RFC 9211), `Warning` (RFC 7234), and what proxies and CDNs write: any header
 * with "cache" in its name whose value says hit, fresh, stale, updating or revalidated (`X-Cache`, `CF-Cache-Status` and so on),
 * `X-Cache-Hits`, and `X-Varnish` with two ids.
 */
export function cacheMark(headers: ReplyHeaders): string | undefined {
  for (const name of Object.keys(headers)) {
    if (name !== 'age' && name !== 'warning' && name !== 'x-varnish' && !name.includes('cache')) continue;
    const isMark = markOf(name);
    if (isMark === undefined) continue;
    const value = valuesOf(headers[name]).join(', ');
    if (isMark(value)) return `${name}: ${value.slice(0, SHOWN_CHARS)}`;
  }
  return undefined;
}

const SHOWN_CHARS = 100;

function valuesOf(header: string | readonly string[] | undefined): readonly string[] {
  return header === undefined ? [] : typeof header === 'string' ? [header] : header;
}

/** How an `Age`, a `Warning`, an `X-Varnish` or a header with "cache" in its name shows a cached reply; undefined if it never does. */
function markOf(name: string): ((value: string) => boolean) | undefined {
  if (name === 'age') return isAged;
  if (name === 'warning') return isStaleWarning;
  if (name === 'x-varnish') return hasTwoRequests;
  if (name === 'cache-status') return isStoredStatus;
  if (name.endsWith('cache-hits')) return hasHits;
  // The first says what may be stored, the second what Squid had stored, not what it sent.
  return name.endsWith('cache-control') || name === 'x-cache-lookup' ? undefined : isHit;
}

/** An age that cannot be read is one, too. */
function isAged(value: string): boolean {
  return !/^\s*0+(?:\s*,\s*0+)*\s*$/.test(value);
}

/** Response is stale, revalidation failed, disconnected operation, heuristic expiration. */
function isStaleWarning(value: string): boolean {
  return /(?:^|,)\s*11[0-3]\b/.test(value);
}

/** Varnish writes the id of this request and, for a hit, the id of the request that filled the cache. */
function hasTwoRequests(value: string): boolean {
  return /\d\s+\d/.test(value);
}

function hasHits(value: string): boolean {
  return /[1-9]/.test(value);
}

/** One member for each cache on the way: `HIT`, `TCP_MEM_HIT from a.example`, `RefreshHit from cloudfront`, `MISS, HIT`. */
function isHit(value: string): boolean {
  return value
    .split(',')
    .some((member) =>
      /^["\s]*(?:\w+_|refresh[-_ ]?)?(?:hit|fresh|stale|updating|revalidated)\b/i.test(member),
    );
}

/** A structured list such as `Origin; fwd=miss, "CDN"; hit; ttl=30`. A validated reply (304) is the stored one. */
function isStoredStatus(value: string): boolean {
  return value
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .split(',')
    .some((member) => /;\s*(?:hit(?:=\?1)?|fwd-status=304)\s*(?:;|$)/i.test(member));
}

/** An ISO 8601 date-time with a zone. PHP also writes offsets without their colon. */
const zoned = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Reads an ISO 8601 date-time with a zone, as Unix ms. Undefined for anything else, such as the 30th of February. */
export function zonedTimeMs(value: unknown): number | undefined {
  const [text, day = ''] = typeof value === 'string' ? (zoned.exec(value) ?? []) : [];
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  // `Date.parse` rolls the 30th of February over; only the last days of a month may not exist.
  return Number(day.slice(8)) <= 28 || isCalendarDay(day) ? ms : undefined;
}

function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/**
 * Reads an HTTP date as Unix ms. RFC 9110 (5.6.7) has three forms, all of them in UTC:
 *
 * - `Sun, 06 Nov 1994 08:49:37 GMT`, the form that servers must write
 * - `Sunday, 06-Nov-94 08:49:37 GMT`, of RFC 850
 * - `Sun Nov  6 08:49:37 1994`, of asctime
 *
 * Anything else is undefined: another zone or spelling, a day that does not exist, a weekday that is not the day's.
 * `Date.parse` invents dates for such texts, and reads asctime in local time.
 *
 * @param nowMs decides the century of a two-digit year: at most 50 years ahead of now, otherwise in the past
 */
export function httpDateMs(text: string, nowMs: number): number | undefined {
  const fields = (fixdate.exec(text) ?? asctime.exec(text) ?? rfc850.exec(text))?.groups;
  if (fields === undefined) return undefined;
  const { weekday = '', month = '', year = '' } = fields;
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) => Number(fields[name]));
  const timeIn = (fullYear: number) => {
    const time = new Date(0);
    // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
    time.setUTCFullYear(fullYear, months.indexOf(month), day);
    return time.setUTCHours(hour ?? 0, minute, second);
  };
  const ms = timeIn(year.length === 4 ? Number(year) : fullYearOf(Number(year), timeIn, nowMs));
  // A leap second is the last one of its day, and Unix time gives it the number of the next.
  const date = new Date(second === 60 ? ms - 1 : ms);
  const isLeapSecond = second !== 60 || (hour === 23 && minute === 59);
  const exists = date.getUTCDate() === day && isLeapSecond;
  return exists && weekdays[date.getUTCDay()]?.startsWith(weekday) === true ? ms : undefined;
}

/** The latest year with these two last digits that is at most 50 years ahead. */
function fullYearOf(digits: number, timeIn: (fullYear: number) => number, nowMs: number): number {
  const now = new Date(nowMs);
  const latestMs = now.setUTCFullYear(now.getUTCFullYear() + 50);
  const latestYear = now.getUTCFullYear();
  const fullYear = latestYear - ((latestYear - digits) % 100);
  return timeIn(fullYear) <= latestMs ? fullYear : fullYear - 100;
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const shortDay = `(?<weekday>${weekdays.map((name) => name.slice(0, 3)).join('|')})`;
const longDay = `(?<weekday>${weekdays.join('|')})`;
const monthName = `(?<month>${months.join('|')})`;
const clockTime = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';

const fixdate = new RegExp(`^${shortDay}, (?<day>\\d\\d) ${monthName} (?<year>\\d{4}) ${clockTime} GMT$`);
const rfc850 = new RegExp(`^${longDay}, (?<day>\\d\\d)-${monthName}-(?<year>\\d\\d) ${clockTime} GMT$`);
const asctime = new RegExp(`^${shortDay} ${monthName} (?<day>\\d\\d| \\d) ${clockTime} (?<year>\\d{4})$`);

/** The longest wait that is read, in seconds: what RFC 9111 makes of a number that is too large, 68 years. */
const LONGEST_WAIT_S = 2 ** 31;

/**
 * Reads a `Retry-After` of whole seconds or an HTTP date, as ms to wait. Undefined for anything else.
 *
 * @param servedMs when the service wrote the reply, Unix ms in its own time, because a date is in that time
 */
export function retryAfterMs(text: string | undefined, servedMs: number): number | undefined {
  const value = text?.trim() ?? '';
  if (/^\d+$/.test(value)) {
    const seconds = Number(value);
    return seconds <= LONGEST_WAIT_S ? seconds * 1_000 : undefined;
  }
  const at = httpDateMs(value, servedMs);
  return at === undefined ? undefined : Math.max(0, at - servedMs);
}
