import type { StatedTime } from '../ports/clock.js';
import { httpDateMs, zonedTimeMs } from './parse-time.js';

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
  const inBody = zonedTimeMs(timestamp);
  if (inBody !== undefined) {
    return { serverMs: inBody, resolutionMs: unitOf(String(timestamp)) + keptMs, source: 'body' };
  }
  const [date] = valuesOf(headers['date']);
  const inHeader = date === undefined ? undefined : httpDateMs(date, nowMs);
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
 * with "cache" in its name whose value says hit, stale, updating or revalidated (`X-Cache`, `CF-Cache-Status` and so on),
 * and `X-Cache-Hits`.
 */
export function cacheMark(headers: ReplyHeaders): string | undefined {
  for (const name of Object.keys(headers)) {
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

/** How a header shows a cached reply; undefined for a header that never does. */
function markOf(name: string): ((value: string) => boolean) | undefined {
  if (name === 'age') return isAged;
  if (name === 'warning') return isStaleWarning;
  if (!name.includes('cache')) return undefined;
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

function hasHits(value: string): boolean {
  return /[1-9]/.test(value);
}

/** One member for each cache on the way: `HIT`, `TCP_MEM_HIT from a.example`, `RefreshHit from cloudfront`, `MISS, HIT`. */
function isHit(value: string): boolean {
  return value
    .split(',')
    .some((member) => /^["\s]*(?:\w+_|refresh[-_ ]?)?(?:hit|stale|updating|revalidated)\b/i.test(member));
}

/** A structured list such as `Origin; fwd=miss, "CDN"; hit; ttl=30`. A validated reply (304) is the stored one. */
function isStoredStatus(value: string): boolean {
  return value
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .split(',')
    .some((member) => /;\s*(?:hit(?:=\?1)?|fwd-status=304)\s*(?:;|$)/i.test(member));
}
