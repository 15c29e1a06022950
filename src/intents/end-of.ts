import type { Envelope } from '../api/operation.js';
import type { ArrivedAttempt } from '../core/attempt-journal.js';
import type { EndEntry } from './entry.js';

/** Replies of these forms aren't shown, and may hold a secret: that of a new webhook subscription, or a token. */
const unwritten: readonly Envelope[] = ['raw', 'whole'];

/** How the end of an attempt is written down. */
export function endOf(
  arrived: ArrivedAttempt,
  { attempt, at, envelope }: { readonly attempt: number; readonly at: number; readonly envelope: Envelope },
): EndEntry {
  const { effect, reason, status, codes, requestId, replayed, keyConflict, record } = arrived;
  return {
    type: 'end',
    attempt,
    at,
    effect: effect === 'unknown' ? 'in_doubt' : effect,
    reason,
    ...(status !== undefined && { status }),
    ...(codes.length > 0 && { codes }),
    ...(requestId !== undefined && { requestId }),
    ...(replayed && { replayed }),
    ...(keyConflict && { keyConflict }),
    ...(typeof record === 'object' &&
      record !== null &&
      !unwritten.includes(envelope) && { record: { ...record } }),
  };
}
