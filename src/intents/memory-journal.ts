import { isOpen, namespaceOf } from './intent.js';
import { IntentTable } from './intent-table.js';
import type {
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  Journal,
  StoredIntent,
} from './journal.js';

export interface MemoryJournalOptions {
  /** How many settled intents are kept, the latest; 10,000 when left out. Open ones are always kept. */
  readonly settledLimit?: number | undefined;
  /** Milliseconds that never run backwards, for tests; leases run by it. */
  readonly now?: (() => number) | undefined;
}

/** A journal that is gone with the process: what a client has that was given none. */
export function memoryJournal(options: MemoryJournalOptions = {}): Journal {
  return new MemoryJournal(options);
}

class MemoryJournal implements Journal {
  readonly name = 'memory';
  readonly durable = false;
  readonly #table: IntentTable;
  readonly #settledLimit: number;
  /** In the order they settled. */
  readonly #settled = new Map<string, IntentId>();

  constructor({ settledLimit = 10_000, now = () => performance.now() }: MemoryJournalOptions) {
    this.#table = new IntentTable(now);
    this.#settledLimit = settledLimit;
  }

  async create(...[intent, change, lease, rules]: Parameters<Journal['create']>): Promise<Created> {
    const created = this.#table.create(intent, change, lease, rules);
    if (created.kind === 'created') {
      this.#note({ namespace: namespaceOf(intent.account), key: intent.key }, isOpen(change.state));
    }
    return created;
  }

  async append(...[id, fence, change]: Parameters<Journal['append']>): Promise<void> {
    this.#table.append(id, fence, change);
    this.#note(id, isOpen(change.state));
  }

  async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
    return this.#table.claim(id, lease);
  }

  async claimOpen(...[namespace, lease, limit]: Parameters<Journal['claimOpen']>): Promise<HeldIntent[]> {
    return this.#table.claimOpen(namespace, lease, limit);
  }

  async release(id: IntentId, fence: number): Promise<void> {
    this.#table.release(id, fence);
  }

  async read(id: IntentId): Promise<StoredIntent | undefined> {
    return this.#table.read(id);
  }

  async find(key: string): Promise<StoredIntent[]> {
    return this.#table.find(key);
  }

  async *list(filter: IntentFilter): AsyncGenerator<StoredIntent> {
    yield* [...this.#table.list(filter)];
  }

  /** There is nothing to let go of: what it holds is for whoever uses it next. */
  async close(): Promise<void> {}

  #note(id: IntentId, open: boolean): void {
    const name = `${id.namespace} ${id.key}`;
    this.#settled.delete(name);
    if (open) return;
    this.#settled.set(name, id);
    for (const [oldest, oldestId] of this.#settled) {
      if (this.#settled.size <= this.#settledLimit) return;
      this.#settled.delete(oldest);
      this.#table.remove(oldestId);
    }
  }
}
