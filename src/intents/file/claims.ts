import { isOpen } from '../intent.js';
import type { HeldIntent, IntentId, LeaseRequest } from '../journal.js';
import type { OpenFile } from './open-file.js';

/** Fences of this opening are above earlier ones only if a later opening will know that there was this one. */
export async function beginOpening({ commit }: OpenFile): Promise<void> {
  if (commit.stopped !== undefined) throw commit.stopped;
  if (commit.hasPreface) await commit.write(undefined, () => undefined);
}

/** Takes an intent that is open and that nobody holds, not even who asks. */
export function claimWhereOpen(
  { table }: OpenFile,
  id: IntentId,
  lease: LeaseRequest,
): HeldIntent | undefined {
  const stored = table.read(id);
  if (stored === undefined || !isOpen(stored.state) || stored.lease !== undefined) return undefined;
  const claimed = table.claim(id, lease);
  return claimed.kind === 'claimed' ? claimed.held : undefined;
}
