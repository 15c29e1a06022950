import { isOpen } from '../intent.js';
import type { StoredIntent } from '../journal.js';

/** Whether an intent settled so long ago that it needn't be kept. Times are Unix ms; open intents never expire. */
export function isExpired(
  { intent, entries, state }: Omit<StoredIntent, 'lease'>,
  now: number,
  retentionMs: number,
): boolean {
  if (isOpen(state)) return false;
  const last = entries.reduce((latest, { at }) => Math.max(latest, at), intent.createdAt);
  return last + retentionMs < now;
}
