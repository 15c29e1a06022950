import type { WordEntry } from './entry.js';
import { namespaceOf } from './intent.js';
import type { StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { standingOf } from './standing.js';

const CLEAR_MS = 5_000;

/**
 * Settles those of the given intents that were prepared by a process that is gone, and of which nothing was ever sent.
 * Returns the others.
 */
export async function clearUnsent(
  keeper: Keeper,
  intents: readonly StoredIntent[],
): Promise<readonly StoredIntent[]> {
  const left: StoredIntent[] = [];
  for (const stored of intents) {
    if (stored.state !== 'prepared' || stored.lease !== undefined || !(await isCleared(keeper, stored))) {
      left.push(stored);
    }
  }
  return left;
}

/** Said of an intent of which nothing was sent, and nothing will be. */
export function neverSent(at: number): WordEntry {
  const reason = 'found prepared, with no attempt, after its process had gone';
  return { type: 'word', word: 'never_sent', at, reason };
}

/** Said of an intent of which its own call has sent nothing, and won't. */
export function unsent(at: number): WordEntry {
  return { type: 'word', word: 'withdrawn', at, reason: 'nothing of it was sent' };
}

async function isCleared(keeper: Keeper, { intent }: StoredIntent): Promise<boolean> {
  // Another call of this client has it in hand: the journal would give it to both.
  if (keeper.isBusy(intent.key)) return false;
  const { journal, owner, clock } = keeper.parts;
  const id = { namespace: namespaceOf(intent.account), key: intent.key };
  return keeper.alone(intent.key, async () => {
    const claimed = await journal.claim(id, { owner, ttlMs: CLEAR_MS });
    if (claimed.kind !== 'claimed') return claimed.kind === 'missing';
    // It may have been sent between the two looks.
    const { stored, fence } = claimed.held;
    const isUnsent = stored.state === 'prepared';
    if (isUnsent) {
      const word = neverSent(clock.now());
      const { state } = standingOf(intent, [...stored.entries, word]);
      await journal.append(id, fence, { entries: [word], state });
    }
    await journal.release(id, fence);
    return isUnsent;
  });
}
