// @ts-check
/** Formats times, durations and amounts for display. */

/**
 * 2026-03-01 10:00:00 UTC
 * @param {number} ms
 */
export function moment(ms) {
  return `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

/**
 * 10:00:00.250
 * @param {number} ms
 */
export function timeOfDay(ms) {
  return new Date(ms).toISOString().slice(11, 23);
}

/**
 * A span as people say it, in at most two units: 3 h 59 min.
 * @param {number} ms
 */
export function span(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const parts = [
    [Math.floor(seconds / 86400), ' d'],
    [Math.floor(seconds / 3600) % 24, ' h'],
    [Math.floor(seconds / 60) % 60, ' min'],
    [seconds % 60, ' s'],
  ];
  const first = parts.findIndex(([count]) => Number(count) > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count], at) => at === 0 || Number(count) > 0)
    .map(([count, unit]) => String(count) + String(unit))
    .join(' ');
}

/**
 * Milliseconds of a span as people type it: 90s, 1h 30m, 45 (minutes). Undefined for anything else.
 * @param {string} text
 * @returns {number | undefined}
 */
export function spanOf(text) {
  const trimmed = text.trim().toLowerCase();
  if (/^\d{1,6}$/.test(trimmed)) return Number(trimmed) * 60000;
  const whole = /^(?:\d{1,6}\s*(?:ms|min|s|m|h|d)\s*)+$/;
  if (!whole.test(trimmed)) return undefined;
  /** @type {Record<string, number>} */
  const sizes = { ms: 1, s: 1000, m: 60000, min: 60000, h: 3600000, d: 86400000 };
  let sum = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+)\s*(ms|min|s|m|h|d)/g)) {
    sum += Number(count) * (sizes[unit ?? ''] ?? 0);
  }
  return sum;
}

/**
 * An INR decimal string with Indian grouping: 465000.00 becomes ₹4,65,000. The digits are moved, never calculated with.
 * @param {string} decimal
 */
export function rupees(decimal) {
  const [whole = '', fraction = ''] = decimal.split('.');
  const grouped = whole.replace(/(\d)(?=(?:\d\d)+\d$)/g, '$1,');
  return `₹${grouped}${fraction === '' || fraction === '00' ? '' : `.${fraction}`}`;
}
