import { memoryAccount } from './account.js';
import { memoryAudit } from './audit.js';
import { memoryCursors } from './cursors.js';
import { memoryEvidence } from './evidence.js';
import { type KeptAccount, MemoryIntents } from './memory-intents.js';
import { thisProcess } from './process.js';
import type { Store, StoreProcess, StoreTransaction } from './store.js';
import { Undo } from './undo.js';
import { memoryWebhookEvents } from './webhook-events.js';

export interface MemoryStoreOptions {
  /** For tests that play several processes. */
  readonly process?: StoreProcess | undefined;
  /** Unix ms, for the silence of owners. */
  readonly now?: (() => number) | undefined;
}

/** Keeps everything in the memory of this process: for tests and the sandbox. */
export function memoryStore({ process = thisProcess(), now = Date.now }: MemoryStoreOptions = {}): Store {
  const accounts = new Map<string, KeptAccount>();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    name: 'memory',
    durable: false,
    process,
    transaction(account, work) {
      const run = turn.then(() => {
        const kept = accounts.get(account) ?? newAccount();
        accounts.set(account, kept);
        return unitOfWork(kept, now, work);
      });
      turn = run.catch(() => undefined);
      return run;
    },
    close: async () => {
      await turn;
    },
  };
}

function newAccount(): KeptAccount {
  return {
    rows: new Map(),
    open: new Map(),
    evidence: new Map(),
    account: new Map(),
    webhookEvents: new Map(),
    audit: new Map(),
    cursors: new Map(),
  };
}

/** Writes at once, and takes it back where the work fails. */
async function unitOfWork<T>(
  kept: KeptAccount,
  now: () => number,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  const undo = new Undo();
  try {
    const result = await work({
      intents: new MemoryIntents(kept, undo, now),
      evidence: memoryEvidence(kept.evidence, undo),
      account: memoryAccount(kept.account, undo),
      webhookEvents: memoryWebhookEvents(kept.webhookEvents, undo, now),
      audit: memoryAudit(kept.audit, undo),
      cursors: memoryCursors(kept.cursors, undo, now),
    });
    if (undo.refusal !== undefined) throw undo.refusal;
    return result;
  } catch (error) {
    undo.all();
    throw error;
  }
}
