import type { BidColumns, IntentRow, SaveTime, StoredIntent } from '../store/intents.js';
import type { Store, StoreTransaction } from '../store/store.js';

/** Storage of one case, initially empty and not shared with other cases. */
export interface StoreStorage {
  /** Opens a store over the storage: the first one, one after a restart, or with `shared` an additional one. */
  open(): Store | Promise<Store>;
  /**
   * Advances the clock of the store by this many milliseconds, to test dead owners. If you can't move that clock,
   * wait for real and set a small `silence`.
   */
  pass(ms: number): void | Promise<void>;
  /** Abandons a store like a killed process. Without it, restarts use `close()`. */
  kill?(store: Store): void | Promise<void>;
  /** Called once at the end of a case, after all stores are closed or killed. */
  remove?(): void | Promise<void>;
}

/** Cases by name, a sentence about a store. `opened` is the first store over an empty storage. */
export type Cases = Readonly<Record<string, (opened: Opened, setting: Setting) => Promise<void>>>;

/** A failed expectation. The message names the expected and the actual value. */
export class Finding extends Error {}

/** @throws Finding with the place of the first difference, if two values differ */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [spelled(found), spelled(expected)];
  if (is === should) return;
  const at = [...should].findIndex((letter, index) => is[index] !== letter);
  throw new Finding(`${what}: expected ${around(should, at)}, found ${around(is, at)}`);
}

/** @returns the error that an action rejects with. @throws Finding if it does not reject */
export async function expectRejection(what: string, action: Promise<unknown>): Promise<unknown> {
  const found = await action.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in found) return found.error;
  throw new Finding(`${what}: expected a rejection, found ${around(spelled(found.value), 0)}`);
}

/** JSON with sorted members and bigints; a member that is undefined counts as absent. */
function spelled(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(spelled).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${spelled(member)}`).join()}}`;
}

/** Shortens a text around a difference. */
function around(text: string, at: number): string {
  const [from, to] = [Math.max(0, at - 40), Math.max(0, at - 40) + 200];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

export const ACCOUNT = 'production';

/** Number of competing units of work. */
export const RACERS = 12;

/** A row with some values; the others are the same for all rows. */
export function row(key: string, changes: Partial<IntentRow> = {}): IntentRow {
  return {
    key,
    state: 'ready',
    provisional: false,
    guarded: false,
    content: `{"key":"${key}"}`,
    ...changes,
  };
}

/** A bid of one buyer on one lot, open and unguarded. */
export function bid(key: string, columns: Partial<BidColumns>, changes: Partial<IntentRow> = {}): IntentRow {
  const whole = { lot: 'lot_1', buyer: 'D-204', paise: 46_500_000n, closesAt: 10_000, ...columns };
  return row(key, { state: 'sent', bid: whole, ...changes });
}

/** Saved at the same moment by both clocks. */
export function at(ms: number): { readonly server: number; readonly local: number } {
  return { server: ms, local: ms };
}

/** A row without the fields that the store adds. */
export function written(stored: StoredIntent | undefined): IntentRow | undefined {
  if (stored === undefined) return undefined;
  const { id: _, version: __, ownerSilence: ___, settledSequence: ____, ...rest } = stored;
  return rest;
}

export function keysOf(rows: readonly StoredIntent[]): readonly string[] {
  return rows.map(({ key }) => key);
}

/** Setting of a case: stores over one storage, and time. */
export class Setting {
  readonly #storage: StoreStorage;
  readonly #shared: boolean;
  readonly silenceMs: number;
  readonly #inUse = new Set<Store>();

  constructor(storage: StoreStorage, shared: boolean, silenceMs: number) {
    this.#storage = storage;
    this.#shared = shared;
    this.silenceMs = silenceMs;
  }

  async open(): Promise<Opened> {
    const store = await this.#storage.open();
    this.#inUse.add(store);
    return new Opened(store);
  }

  /** Stores for races: three over a shared storage, else the same one three times. */
  async three(first: Opened): Promise<readonly [Opened, Opened, Opened]> {
    return this.#shared ? [first, await this.open(), await this.open()] : [first, first, first];
  }

  /** Runs work on these three concurrently, and returns each result. */
  async racing<T>(
    first: Opened,
    work: (store: Opened, n: number) => Promise<T>,
  ): Promise<readonly PromiseSettledResult<T>[]> {
    const stores = await this.three(first);
    const runs = Array.from({ length: RACERS }, (_, n) => work(stores[n % stores.length] ?? first, n));
    return Promise.allSettled(runs);
  }

  /** Runs work at once on these three. @returns the one that succeeds. @throws Finding if there are more, or none */
  async race(first: Opened, work: (store: Opened, n: number) => Promise<unknown>): Promise<number> {
    const answers = await this.racing(first, work);
    const winners = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []));
    expectSame('how many win', winners.length, 1);
    return winners[0] ?? 0;
  }

  /** Closes a store, or kills its process where the storage can do that; then opens the next. */
  async restart({ store }: Opened, how: 'closed' | 'killed'): Promise<Opened> {
    if (how === 'killed' && this.#storage.kill !== undefined) await this.#storage.kill(store);
    else await store.close();
    this.#inUse.delete(store);
    return this.open();
  }

  async pass(ms: number): Promise<void> {
    await this.#storage.pass(ms);
  }

  async end(): Promise<void> {
    try {
      for (const store of this.#inUse) await store.close();
    } finally {
      await this.#storage.remove?.();
    }
  }
}

/** A store, with the transactions of one account that cases repeat. */
export class Opened {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  do<T>(work: (tx: StoreTransaction) => Promise<T>, account = ACCOUNT): Promise<T> {
    return this.store.transaction(account, work);
  }

  /** Inserts rows in this order, in one transaction. */
  insert(...rows: readonly IntentRow[]): Promise<readonly StoredIntent[]> {
    return this.do(async ({ intents }) => {
      const inserted = [];
      for (const each of rows) inserted.push(await intents.insert(each, at(1_000)));
      return inserted;
    });
  }

  /** Saves a row over the version that is there. */
  async save(next: IntentRow, time: SaveTime = at(1_000)): Promise<void> {
    const saved = await this.do(async ({ intents }) => {
      const stored = await intents.get(next.key);
      return stored && intents.update(next, stored.version, time);
    });
    if (saved === undefined) throw new Error(`${next.key} was not saved`);
  }

  /** Inserts rows and settles them in this order, each at its moment. */
  async settle(...settled: readonly (readonly [IntentRow, SaveTime])[]): Promise<void> {
    for (const [next, time] of settled) {
      await this.insert({ ...next, state: 'sent', provisional: false });
      await this.save(next, time);
    }
  }

  get(key: string, account = ACCOUNT): Promise<StoredIntent | undefined> {
    return this.do(({ intents }) => intents.get(key), account);
  }

  async keys(account = ACCOUNT): Promise<readonly string[]> {
    return keysOf(await this.do(({ intents }) => intents.list({ which: 'all', limit: 1_000 }), account));
  }
}
