import type { Intent } from '../../src/intents/intent.js';
import type {
  Change,
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  Journal,
  LeaseRequest,
  StoredIntent,
  Unwaited,
} from '../../src/intents/journal.js';
import { memoryJournal } from '../../src/intents/memory-journal.js';

type Method = 'create' | 'append' | 'claim' | 'claimOpen' | 'release' | 'read' | 'find' | 'list';

/** What a method does in place of its work: nothing but fail, or its work and then fail, or wait. */
export interface Trouble {
  readonly method: Method;
  /** The nth use of the method, from 1: from now on, or from the trouble before it on. */
  readonly nth?: number;
  readonly error?: unknown;
  /** It does its work, and nobody hears of it. */
  readonly unheard?: boolean;
  /** Its work begins when this resolves. */
  readonly until?: Promise<unknown>;
  /** What another process does to the journal just before. */
  readonly before?: (journal: Journal) => Promise<void>;
}

/**
 * A journal in memory that says what was written, and when, and that fails on demand. What it holds passes through JSON,
 * as it does in a file or a database.
 */
export class SpyJournal implements Journal {
  readonly name = 'spy';
  readonly durable = true;
  /** One line for each write that became durable: `create prepared []`, `append accepted [end] unwaited`. */
  readonly events: string[];
  closed = 0;
  /** Why changes that nobody waits for are lost, where they are. */
  loses: unknown;
  readonly #inner: Journal;
  readonly #troubles: { trouble: Trouble; left: number }[] = [];

  constructor(now: () => number, events: string[] = []) {
    this.#inner = memoryJournal({ now });
    this.events = events;
  }

  /** Makes a method fail, once. */
  trouble(trouble: Trouble): void {
    this.#troubles.push({ trouble, left: trouble.nth ?? 1 });
  }

  create(
    intent: Intent,
    change: Change,
    lease: LeaseRequest,
    rules: { readonly exclusive: boolean },
  ): Promise<Created> {
    return this.#troubled('create', async () => {
      const created = await this.#inner.create(plain(intent), plain(change), lease, rules);
      const kind = created.kind === 'created' ? 'create' : `create (${created.kind})`;
      this.events.push(`${kind} ${change.state} ${typesOf(change)}`);
      return created;
    });
  }

  append(id: IntentId, fence: number, change: Change, unwaited?: Unwaited): Promise<void> {
    return this.#troubled('append', async () => {
      if (unwaited !== undefined && this.loses !== undefined) return unwaited.onLost(this.loses);
      await this.#inner.append(id, fence, plain(change));
      this.events.push(`append ${change.state} ${typesOf(change)}${unwaited ? ' unwaited' : ''}`);
    });
  }

  claim(id: IntentId, lease: LeaseRequest): Promise<Claimed> {
    return this.#troubled('claim', () => this.#inner.claim(id, lease));
  }

  claimOpen(namespace: string, lease: LeaseRequest, limit: number): Promise<readonly HeldIntent[]> {
    return this.#troubled('claimOpen', () => this.#inner.claimOpen(namespace, lease, limit));
  }

  release(id: IntentId, fence: number): Promise<void> {
    return this.#troubled('release', () => this.#inner.release(id, fence));
  }

  read(id: IntentId): Promise<StoredIntent | undefined> {
    return this.#troubled('read', () => this.#inner.read(id));
  }

  find(key: string): Promise<readonly StoredIntent[]> {
    return this.#troubled('find', () => this.#inner.find(key));
  }

  async *list(filter: IntentFilter): AsyncGenerator<StoredIntent> {
    await this.#troubled('list', async () => undefined);
    yield* this.#inner.list(filter);
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  /** Everything it holds, the oldest first. */
  async all(): Promise<StoredIntent[]> {
    const found: StoredIntent[] = [];
    for await (const stored of this.#inner.list({})) found.push(plain(stored));
    return found;
  }

  /** The only intent it holds. */
  async only(): Promise<StoredIntent> {
    const [stored, ...more] = await this.all();
    if (stored === undefined || more.length > 0) throw new Error(`${more.length + 1} intents, not one`);
    return stored;
  }

  async #troubled<T>(method: Method, work: () => Promise<T>): Promise<T> {
    const found = this.#troubles.find(({ trouble }) => trouble.method === method);
    if (found !== undefined) found.left -= 1;
    if (found === undefined || found.left > 0) return work();
    this.#troubles.splice(this.#troubles.indexOf(found), 1);
    const { until, before, unheard, error } = found.trouble;
    await until;
    await before?.(this.#inner);
    if (error === undefined && (until !== undefined || before !== undefined)) return work();
    if (unheard === true) await work();
    throw error ?? new Error('the disk is full');
  }
}

function typesOf({ entries }: Change): string {
  return `[${entries.map((entry) => (entry.type === 'word' ? entry.word : entry.type)).join(' ')}]`;
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
