import { Stopped, within } from '../core/stop.js';
import { LeaseLostError } from '../errors/journal.js';
import { type IntentAccount, isOpen, namespaceOf } from './intent.js';
import type { HeldIntent, StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { patiently } from './patience.js';

/** Intents that are settled side by side. */
const SIDE_BY_SIDE = 8;

/** What recovery does with each open intent. */
export interface Recovering<T> {
  /** Settles a leased one. */
  settle(held: HeldIntent): Promise<T>;
  /** Tells of one that somebody else works on. */
  atWork(stored: StoredIntent): T;
  /** Tells of one that somebody else has settled. */
  recorded(stored: StoredIntent): T;
  /** Longest time that one may take, ms. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One result for each open intent of the client's account, the oldest first. */
export async function recoverAll<T>(keeper: Keeper, recovering: Recovering<T>): Promise<T[]> {
  const { journal, clock, log } = keeper.parts;
  const account = await keeper.accountInTime();
  const namespace = namespaceOf(account);
  const results = new Map<string, T>();
  const held: HeldIntent[] = [];
  try {
    for (;;) {
      // Leased until all are done, so that none is given out twice; those whose lease runs out meanwhile come again.
      const lease = keeper.lease(recovering.deadlineMs);
      const batch = await journal.claimOpen(namespace, lease, SIDE_BY_SIDE);
      if (batch.length === 0) break;
      held.push(...batch);
      const fresh = batch.filter(({ stored }) => !results.has(stored.intent.key));
      const settled = await Promise.allSettled(fresh.map((one) => settledAlone(keeper, one, recovering)));
      settled.forEach((each, index) => {
        const key = fresh[index]?.stored.intent.key;
        if (each.status === 'fulfilled' && key !== undefined) results.set(key, each.value);
      });
      // One that fails must not leave the others at work on what is given back below.
      const failed = settled.find((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
    const foreign: StoredIntent[] = [];
    for await (const stored of journal.list({ open: true })) {
      const { key, account: owner } = stored.intent;
      if (isLeftBehind(owner, account) && stored.lease === undefined) foreign.push(stored);
      if (namespaceOf(owner) === namespace && !results.has(key)) results.set(key, recovering.atWork(stored));
    }
    warnOf(keeper, foreign);
  } catch (error) {
    // What is settled by now isn't open any more, and would never be told again; what isn't comes with the next recovery.
    if (results.size === 0) throw error;
    log.error('Recovery ended early: recover again for the rest', () => ({
      settled: results.size,
      error: error instanceof Error ? error.message : 'no reason given',
    }));
  } finally {
    const given = held.map(({ stored, fence }) =>
      journal.release({ namespace, key: stored.intent.key }, fence),
    );
    await patiently(clock, Promise.allSettled(given)).catch(() => undefined);
  }
  return [...results.values()];
}

/** Whether it is of another client at the same service: of the one before, where the client id was changed. */
function isLeftBehind(owner: IntentAccount, { origin, environment, clientId }: IntentAccount): boolean {
  return owner.origin === origin && owner.environment === environment && owner.clientId !== clientId;
}

function warnOf(keeper: Keeper, foreign: readonly StoredIntent[]): void {
  if (foreign.length === 0) return;
  const clientIds = [...new Set(foreign.map(({ intent }) => intent.account.clientId))];
  keeper.parts.log.warn(
    'The journal also holds unresolved intents of another client id; only its credentials can settle them',
    () => ({
      clientIds,
      idempotencyKeys: foreign.map(({ intent }) => intent.key).slice(0, 20),
      intents: foreign.length,
    }),
  );
}

/** Settles one; behind a call of this client that took it over a moment ago, for both have the same name there. */
async function settledAlone<T>(keeper: Keeper, held: HeldIntent, recovering: Recovering<T>): Promise<T> {
  const { settle, atWork, recorded, deadlineMs, signal } = recovering;
  const { clock, journal } = keeper.parts;
  const { intent } = held.stored;
  const id = { namespace: namespaceOf(intent.account), key: intent.key };
  const sources = { clock, signal, deadlineAt: clock.monotonic() + deadlineMs };
  const settleAnew = async () => {
    const claimed = await journal.claim(id, keeper.lease(deadlineMs));
    if (claimed.kind !== 'claimed') return atWork(held.stored);
    try {
      return await settle(claimed.held);
    } finally {
      await patiently(clock, journal.release(id, claimed.held.fence)).catch(() => undefined);
    }
  };
  try {
    if (!keeper.isBusy(intent.key)) return await keeper.alone(intent.key, () => settle(held));
    return await keeper.alone(intent.key, settleAnew, (turn) => within(sources, turn));
  } catch (error) {
    if (error instanceof Stopped) return atWork(held.stored);
    if (!(error instanceof LeaseLostError)) throw error;
    // Somebody took it over meanwhile: it is theirs to settle.
    const stored = (await journal.read(id)) ?? held.stored;
    return isOpen(stored.state) ? atWork(stored) : recorded(stored);
  }
}
