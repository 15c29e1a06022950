import { ConfigurationError } from '../errors/local.js';
import { sleep, systemClock } from '../runtime/timers.js';
import { sqlStore } from '../store/sql.js';
import type { Store } from '../store/store.js';
import type { SqliteDatabase } from './database.js';
import { SqliteDriver } from './driver.js';

export type { SqliteDatabase, SqliteStatement } from './database.js';

export interface SqliteStoreOptions {
  /** Longest wait for a lock that another program holds on the file, ms; defaults to 10,000. */
  readonly lockTimeout?: number | undefined;
  /** Waits this many ms before the next try for a lock. For tests in virtual time. */
  readonly delay?: ((ms: number) => Promise<void>) | undefined;
  /** From 0 to 1, for the jitter of these waits. For tests. */
  readonly random?: (() => number) | undefined;
}

/**
 * Creates a store in a SQLite file on this machine. Several processes may share the file.
 *
 * The log of the shared quota is in a second file with the suffix `-quota`. It is not synced, and you may delete it while
 * no process runs.
 *
 * Uses the connection that you pass, else the SQLite of the runtime (node:sqlite, bun:sqlite), else `libsql` if it is
 * installed. Use a connection that you pass for nothing else: the store sets its journal mode, and doesn't close it.
 *
 * @throws ConfigurationError; the first transaction rejects with a StoreError if the file can't be used
 */
export function sqliteStore(
  source: string | { readonly database: SqliteDatabase },
  options: SqliteStoreOptions = {},
): Store {
  if (typeof source === 'string' ? source === '' || source === ':memory:' : !isDatabase(source?.database)) {
    throw new ConfigurationError('store', 'must be the path of a file or { database }', {
      nextStep: 'For a store in memory, use memoryStore().',
    });
  }
  const waits = {
    delay: options.delay ?? ((ms) => sleep(systemClock, ms)),
    random: options.random ?? Math.random,
    lockTimeout: options.lockTimeout ?? 10_000,
  };
  const known = typeof source === 'string' ? undefined : drivers.get(source.database);
  const driver = known ?? new SqliteDriver(source, waits);
  if (typeof source !== 'string') drivers.set(source.database, driver);
  // A connection of the user keeps departures with the rest.
  const departures = typeof source === 'string' ? new SqliteDriver(`${source}-quota`, waits, false) : driver;
  return sqlStore(driver, { departures });
}

/** Drivers by connection of the user: stores over one connection share its transactions. */
const drivers = new WeakMap<SqliteDatabase, SqliteDriver>();

function isDatabase(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'prepare' in value && 'exec' in value;
}
