import type { StatedTime } from '../ports/server-clock.js';

/** Where a reply states server time. */
export interface TimedReply {
  /** The JSON's own: `server_time`, or `timestamp` of an envelope. */
  readonly timestamp?: unknown;
  /** The HTTP `Date` header. */
  readonly date?: string | undefined;
}

/** Server time as a reply states it, Unix ms: the JSON's own time first, then `Date`; undefined where neither is one. */
export function serverTimeOf({ timestamp, date }: TimedReply): StatedTime | undefined {
  const iso = isoMs(timestamp);
  if (iso !== undefined) {
    return { serverMs: iso, resolutionMs: /\.\d/.test(String(timestamp)) ? 1 : 1_000, source: 'body' };
  }
  const http = httpDateMs(date);
  return http === undefined ? undefined : { serverMs: http, resolutionMs: 1_000, source: 'header' };
}

const zonedShape = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 date-time with a zone. PHP also writes offsets without their colon. */
function isoMs(value: unknown): number | undefined {
  const [text, day] = typeof value === 'string' ? (zonedShape.exec(value) ?? []) : [];
  if (text === undefined || day === undefined) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || !isCalendarDay(day) ? undefined : ms;
}

/** `Date.parse` rolls the 30th of February over. */
function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** An HTTP date as servers write it; what doesn't read back the same is none. */
function httpDateMs(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (value !== latest.text) {
    const ms = Date.parse(value);
    const isExact = !Number.isNaN(ms) && new Date(ms).toUTCString() === value;
    latest = { text: value, ms: isExact ? ms : undefined };
  }
  return latest.ms;
}

/** Replies of one second carry the same date. */
let latest: { readonly text: string; readonly ms: number | undefined } = { text: '', ms: undefined };
