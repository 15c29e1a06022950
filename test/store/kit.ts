import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresDriver } from '../../src/postgres/driver.js';
import { OwnPool } from '../../src/postgres/pool.js';
import { SqliteDriver } from '../../src/sqlite/driver.js';
import type { IntentRow, SaveTime, StoredIntent } from '../../src/store/intents.js';
import { memoryStore } from '../../src/store/memory.js';
import { sqlStore } from '../../src/store/sql.js';
import type { SqlDriver } from '../../src/store/sql-driver.js';
import type { Store } from '../../src/store/store.js';
import type { StoreStorage } from '../../src/testing/index.js';
import { newDatabase } from '../support/postgres/shared.js';

export const ACCOUNT = 'production';

export const at = (ms: number): SaveTime => ({ server: ms, local: ms });

export function row(key: string, changes: Partial<IntentRow> = {}): IntentRow {
  return { key, state: 'ready', provisional: false, guarded: false, content: '{}', ...changes };
}

export function insert(store: Store, ...rows: readonly IntentRow[]): Promise<void> {
  return store.transaction(ACCOUNT, async ({ intents }) => {
    for (const each of rows) await intents.insert(each, at(1));
  });
}

export function get(store: Store, key: string): Promise<StoredIntent | undefined> {
  return store.transaction(ACCOUNT, ({ intents }) => intents.get(key));
}

export async function keysOf(store: Store): Promise<readonly string[]> {
  const rows = await store.transaction(ACCOUNT, ({ intents }) =>
    intents.list({ which: 'all', limit: 1_000_000 }),
  );
  return rows.map(({ key }) => key);
}

/** What a promise rejects with, or an error if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => new Error(`resolved with ${String(value)}`),
    (error: unknown) => error,
  );
}

/** What a store rejects with where nothing was written. */
export const failed = (reason: string) => ({
  name: 'StoreError',
  reason,
  commit: 'failed',
  outcome: 'not_sent',
});

/** What it rejects with where that is not known. */
export const unknown = { name: 'StoreError', reason: 'unavailable', commit: 'unknown' };

/** Yields to the event loop instead of waiting. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export const noWaits = { delay: turn, random: () => 0.5, lockTimeout: 60_000 };

export const timers = {
  clock: {
    after(ms: number, callback: () => void) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => 0,
};

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'store-test-'));
}

/** A storage in time that a test passes. */
function storageOf(open: (now: () => number) => Store, remove = () => {}): StoreStorage {
  let now = 1_772_431_200_000;
  const pass = (ms: number) => {
    now += ms;
  };
  return { open: () => open(() => now), pass, remove };
}

export function memoryStorage(): StoreStorage {
  let store: Store | undefined;
  return storageOf((now) => {
    store ??= memoryStore({ now });
    return store;
  });
}

/** The same driver with a clock that a test sets, and every statement changed. */
function altered(driver: SqlDriver, now: () => number, change: (sql: string) => string): SqlDriver {
  return {
    name: driver.name,
    durable: driver.durable,
    serial: driver.serial,
    get now() {
      return `CAST(${now()} AS BIGINT)`;
    },
    transaction: (account, work) =>
      driver.transaction(account, (query) => work((text, values) => query(change(text), values))),
    close: () => driver.close(),
  };
}

const unchanged = (sql: string) => sql;

/** Stores over one file with a connection each, as in several processes. `nth` counts the stores that were opened. */
export function sqliteStorage(
  change: (sql: string, nth: number) => string = unchanged,
  storeOf = (store: Store) => store,
): StoreStorage {
  const folder = newFolder();
  let opened = 0;
  const open = (now: () => number) => {
    opened += 1;
    const nth = opened;
    const driver = new SqliteDriver(join(folder, 'auction.db'), noWaits);
    return storeOf(sqlStore(altered(driver, now, (sql) => change(sql, nth))));
  };
  return storageOf(open, () => rmSync(folder, { recursive: true }));
}

/** Stores over one empty database, with a pool each. */
export async function postgresStorage(): Promise<StoreStorage> {
  const url = await newDatabase();
  return storageOf((now) => sqlStore(altered(new PostgresDriver(new OwnPool(url), timers), now, unchanged)));
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
