import { StoreError, type StoreErrorDetails } from '../../src/errors/store.js';
import type { StoredIntent } from '../../src/store/intents.js';
import { memoryStore } from '../../src/store/memory.js';
import type { Store, StoreTransaction } from '../../src/store/store.js';
import { deferred } from './loopback.js';

/** What a transaction of a spied store does instead of committing. */
export type Trouble =
  /** It fails, and nothing was written. */
  | 'fails'
  /** It commits, and nobody hears of it. */
  | 'commits unheard'
  /** Its answer is lost, and nothing was written. */
  | 'lost'
  /** It never settles. */
  | 'hangs';

/** A transaction waits before it begins, until the test lets it go on. */
export class Pause {
  readonly #reached = deferred();
  readonly #over = deferred();
  /** Resolves when a transaction waits here. */
  readonly reached = this.#reached.promise;
  readonly over = this.#over.promise;
  readonly arrive = this.#reached.resolve;
  readonly goOn = this.#over.resolve;
}

/**
 * A store in memory that tells when it commits, in one list of events with what leaves, and that can be made to fail.
 */
export class SpyStore implements Store {
  readonly name = 'spy';
  readonly durable = true;
  readonly #inner: Store;
  readonly #events: string[];
  /** What the next transactions do, in their order; `undefined` lets one through. */
  readonly troubles: (Trouble | Pause | undefined)[] = [];
  closed = 0;

  constructor(events: string[] = [], inner: Store = memoryStore()) {
    this.#inner = inner;
    this.#events = events;
  }

  get process() {
    return this.#inner.process;
  }

  /** Makes one of the next transactions wait, the first being 1. */
  pauseAt(nth: number): Pause {
    const pause = new Pause();
    this.troubles.push(...Array<undefined>(nth - 1).fill(undefined), pause);
    return pause;
  }

  async transaction<T>(account: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    const trouble = this.troubles.shift();
    if (trouble === 'hangs') return new Promise(() => undefined);
    if (trouble === 'fails') throw failure('failed');
    if (trouble === 'lost') throw failure('unknown');
    if (trouble instanceof Pause) {
      trouble.arrive();
      await trouble.over;
    }
    const writes: string[] = [];
    const value = await this.#inner.transaction(account, (tx) => {
      writes.length = 0;
      return work(noting(tx, writes));
    });
    this.#events.push(...writes.map((write) => `commit ${write}`));
    if (trouble === 'commits unheard') throw failure('unknown');
    return value;
  }

  /** Every row of an account, read without any trouble, in the order of inserts. */
  rows(account: string): Promise<readonly StoredIntent[]> {
    return this.#inner.transaction(account, (tx) => tx.intents.list({ which: 'all', limit: 1_000 }));
  }

  close(): Promise<void> {
    this.closed += 1;
    return this.#inner.close();
  }
}

/** Names what a transaction writes by the last event of the intent. */
function noting(tx: StoreTransaction, writes: string[]): StoreTransaction {
  const note = (content: string) => {
    const { log }: { log: readonly { type: string }[] } = JSON.parse(content);
    writes.push(log.at(-1)?.type ?? 'nothing');
  };
  const intents = withOwn(tx.intents, {
    insert: (row, at) => {
      note(row.content);
      return tx.intents.insert(row, at);
    },
    update: (row, version, at) => {
      note(row.content);
      return tx.intents.update(row, version, at);
    },
  });
  return withOwn(tx, { intents });
}

/** An object with some members of its own in front of another's. */
function withOwn<T extends object>(object: T, own: Partial<T>): T {
  return new Proxy(object, {
    get: (target, name) => {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function failure(commit: StoreErrorDetails['commit']): StoreError {
  return new StoreError({
    reason: 'unavailable',
    commit,
    what: 'The store failed: scripted.',
    nextStep: 'Nothing to do.',
  });
}
