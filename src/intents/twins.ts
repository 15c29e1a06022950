import type { CallContext } from '../errors/base.js';
import { type Intent, namespaceOf, subjectOf } from './intent.js';
import type { StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { twinInDoubt } from './refusals.js';
import { clearUnsent } from './unsent.js';

/**
 * Looks for others that are open on the same lot. Made once the intent is open itself: of two that do so at the same
 * time, at least one sees the other.
 *
 * @throws InDoubtError where there are any
 */
export async function refuseTwins(keeper: Keeper, intent: Intent, context: CallContext): Promise<void> {
  const filter = { namespace: namespaceOf(intent.account), open: true, subject: subjectOf(intent) };
  const twins: StoredIntent[] = [];
  for await (const stored of keeper.parts.journal.list(filter)) {
    if (stored.intent.key !== intent.key) twins.push(stored);
  }
  const left = await clearUnsent(keeper, twins);
  if (left.length > 0) throw twinInDoubt(left, context);
}
