import { limits } from '../api/formats.js';
import type { InputIssue } from '../errors/local.js';
import type { Lane } from '../ports/quota.js';

/** How many requests may leave in which time. */
export interface QuotaSettings {
  /** Requests in one window; `Infinity` for no pacing. */
  readonly limit: number;
  /** Requests of each window that only bids may use. */
  readonly reserve: number;
  /** Milliseconds that the service counts over. */
  readonly windowMs: number;
  /** Milliseconds on top of the window, because requests do not arrive as evenly as they leave. */
  readonly marginMs: number;
}

/** What the service allows (Limits), for a client that places no bids. */
export const defaultQuota: QuotaSettings = {
  limit: limits.requestsPerMinute,
  reserve: 0,
  windowMs: 60_000,
  marginMs: 1_000,
};

/** A fifth of the window, for clients that place bids. */
export function defaultReserve(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? 0 : Math.floor(limit / 5);
}

/** What each lane may use in any case, so that no other lane starves it: a fortieth of the window. */
function shareOf(limit: number): number {
  return limit < 10 || limit === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limit / 40);
}

/** What the others leave to each lane. Together they are fewer than the limit. */
export function guarantees({ limit, reserve }: QuotaSettings): Readonly<Record<Lane, number>> {
  const share = shareOf(limit);
  return { bid: Math.min(reserve, largestReserve(limit)), command: share, read: share, poll: share };
}

function largestReserve(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? 0 : Math.max(0, limit - 1 - 3 * shareOf(limit));
}

/** What is wrong with settings. */
export function quotaIssues({ limit, reserve, windowMs, marginMs }: QuotaSettings): InputIssue[] {
  const issues: InputIssue[] = [];
  const hasLimit = limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1);
  if (!hasLimit) {
    issues.push({ path: 'limit', message: 'must be a whole number from 1, or Infinity for no pacing' });
  } else if (!(Number.isInteger(reserve) && reserve >= 0 && reserve <= largestReserve(limit))) {
    const most = largestReserve(limit);
    issues.push({ path: 'reserve', message: `must be a whole number from 0 to ${most}, with this limit` });
  }
  if (!(Number.isFinite(windowMs) && windowMs > 0)) {
    issues.push({ path: 'windowMs', message: 'must be a positive number of milliseconds' });
  }
  if (!(Number.isFinite(marginMs) && marginMs >= 0)) {
    issues.push({ path: 'marginMs', message: 'must be a number of milliseconds from 0' });
  }
  return issues;
}

/** What keeps to both: the lowest limit, the largest of everything else. */
export function strictest(one: QuotaSettings, other: QuotaSettings): QuotaSettings {
  return {
    limit: Math.min(one.limit, other.limit),
    reserve: Math.max(one.reserve, other.reserve),
    windowMs: Math.max(one.windowMs, other.windowMs),
    marginMs: Math.max(one.marginMs, other.marginMs),
  };
}
