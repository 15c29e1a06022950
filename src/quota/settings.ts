import { limits } from '../api/common.js';
import type { InputIssue } from '../errors/local.js';

/** How many requests may leave in which time. */
export interface QuotaSettings {
  /** Requests at the most in one window; `Infinity` for no pacing at all. */
  readonly limit: number;
  /** Milliseconds that the service counts over. */
  readonly windowMs: number;
  /**
   * Milliseconds on top of the window. Requests that leave a minute apart can arrive a little less than a minute
   * apart, and the service counts arrivals.
   */
  readonly marginMs: number;
}

/** What the service allows (Limits). */
export const defaultQuota: QuotaSettings = {
  limit: limits.requestsPerMinute,
  windowMs: 60_000,
  marginMs: 1_000,
};

/** What is wrong with settings. */
export function quotaIssues({ limit, windowMs, marginMs }: QuotaSettings): InputIssue[] {
  const issues: InputIssue[] = [];
  if (!(limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1))) {
    issues.push({ path: 'limit', message: 'must be a whole number from 1, or Infinity for no pacing' });
  }
  if (!(Number.isFinite(windowMs) && windowMs > 0)) {
    issues.push({ path: 'windowMs', message: 'must be a positive number of milliseconds' });
  }
  if (!(Number.isFinite(marginMs) && marginMs >= 0)) {
    issues.push({ path: 'marginMs', message: 'must be a number of milliseconds from 0' });
  }
  return issues;
}

/** What keeps to both. */
export function strictest(one: QuotaSettings, other: QuotaSettings): QuotaSettings {
  return {
    limit: Math.min(one.limit, other.limit),
    windowMs: Math.max(one.windowMs, other.windowMs),
    marginMs: Math.max(one.marginMs, other.marginMs),
  };
}
