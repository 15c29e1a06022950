import type { IntentState } from '../../../src/intents/intent.js';
import type { Journal, LeaseRequest } from '../../../src/intents/journal.js';

/** Somebody got the lease of an intent, gave it back, or wrote where the intent stands. */
export interface JournalEvent {
  readonly order: number;
  readonly process: string;
  readonly key: string;
  readonly did: 'lease' | 'release' | 'write';
  /** With `write`. */
  readonly state?: IntentState;
  /** With `lease`: how long nobody else may have it, ms. */
  readonly ttlMs?: number;
  /** What belongs together: a lease, and what is written and given back under it. */
  readonly fence: number;
}

/** Told of everything that a journal has done for a process, when it is done. */
export type Watch = (event: Omit<JournalEvent, 'order'>) => void;

/** A journal that is watched. */
export function watched(journal: Journal, process: string, watch: Watch): Journal {
  const leased = (key: string, fence: number, { ttlMs }: LeaseRequest) =>
    watch({ process, key, did: 'lease', fence, ttlMs });
  return {
    name: journal.name,
    durable: journal.durable,
    create: async (intent, change, lease, rules) => {
      const created = await journal.create(intent, change, lease, rules);
      if (created.kind === 'created') {
        const { key } = intent;
        leased(key, created.fence, lease);
        watch({ process, key, did: 'write', fence: created.fence, state: change.state });
      }
      return created;
    },
    append: async (id, fence, change, unwaited) => {
      await journal.append(id, fence, change, unwaited);
      watch({ process, key: id.key, did: 'write', fence, state: change.state });
    },
    claim: async (id, lease) => {
      const claimed = await journal.claim(id, lease);
      if (claimed.kind === 'claimed') leased(id.key, claimed.held.fence, lease);
      return claimed;
    },
    claimOpen: async (namespace, lease, limit) => {
      const held = await journal.claimOpen(namespace, lease, limit);
      for (const { stored, fence } of held) leased(stored.intent.key, fence, lease);
      return held;
    },
    release: async (id, fence) => {
      await journal.release(id, fence);
      watch({ process, key: id.key, did: 'release', fence });
    },
    read: (id) => journal.read(id),
    find: (key) => journal.find(key),
    list: (filter) => journal.list(filter),
    close: () => journal.close(),
  };
}
