import { InvalidRequestError } from '../errors/local.js';
import { isOpen, namespaceOf } from './intent.js';
import type { StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { patiently } from './patience.js';
import { standingOf } from './standing.js';

const ABANDON_MS = 5_000;

/** What may be abandoned, and by which method. */
export interface AbandonRules {
  /** What errors call the method, such as `bidding.abandon`. */
  readonly call: string;
  readonly bidsOnly: boolean;
}

/**
 * Writes down that an open intent is not tracked any more.
 *
 * @throws InvalidRequestError where there is none, or it is at work.
 */
export async function abandonIntent(
  keeper: Keeper,
  key: string,
  reason: string,
  { call, bidsOnly }: AbandonRules,
): Promise<StoredIntent> {
  const refuse = (path: string, message: string, more: { readonly nextStep?: string } = {}) =>
    new InvalidRequestError([{ path, message }], { call, operation: call, ...more });
  if (typeof reason !== 'string' || reason.trim() === '') {
    throw refuse('reason', 'must say why, for whoever reads the record');
  }
  if (keeper.isBusy(key)) throw refuse('key', AT_WORK);
  const { journal, clock, owner } = keeper.parts;
  return keeper.alone(key, async () => {
    const id = { namespace: namespaceOf(await keeper.accountInTime()), key };
    const claimed = await journal.claim(id, { owner, ttlMs: ABANDON_MS });
    if (claimed.kind === 'missing') throw refuse('key', 'must be one that the journal knows');
    if (claimed.kind === 'held') throw refuse('key', AT_WORK);
    const { stored, fence } = claimed.held;
    try {
      if (bidsOnly && stored.intent.bid === undefined) {
        throw refuse('key', 'must be of a bid; for commands there is intents.abandon');
      }
      if (!isOpen(stored.state)) {
        const message = `must be of an unresolved intent; this one is ${stored.state}`;
        throw refuse('key', message, { nextStep: SETTLED });
      }
      const word = { type: 'word', word: 'abandoned', at: clock.now(), reason } as const;
      const entries = [...stored.entries, word];
      const { state } = standingOf(stored.intent, entries);
      await journal.append(id, fence, { entries: [word], state });
      return { intent: stored.intent, entries, state };
    } finally {
      // Where that fails it is free once the lease has run out.
      await patiently(clock, journal.release(id, fence)).catch(() => undefined);
    }
  });
}

const SETTLED = 'It is settled, so nothing is left to abandon; intents.explain(key) tells what became of it.';
const AT_WORK = 'must not be one that a call or a process is at work on';
