import type { StoredIntent } from './journal.js';

/** How far ahead of server time a signed timestamp can be without our clock having been wrong since, ms. */
const SKEW_MS = 300_000;

/**
 * Whether the service may have forgotten the key of a command since it was first sent. By signed timestamps, which are
 * server time as far as that is known; one from the future says that the clock was set back since, by nobody knows how
 * much.
 *
 * @param serverNow Unix ms in server time
 */
export function isPastHorizon(
  { entries }: Pick<StoredIntent, 'entries'>,
  serverNow: number,
  horizonMs: number,
): boolean {
  const first = entries.find((entry) => entry.type === 'attempt');
  if (first?.type !== 'attempt') return false;
  const age = serverNow - first.timestamp * 1_000;
  return age > horizonMs || age < -SKEW_MS;
}
