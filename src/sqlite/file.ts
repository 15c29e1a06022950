import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { SCHEMA_VERSION, tableName } from '../store/schema.js';
import { openDatabase, type SqliteDatabase } from './database.js';
import { faultOf } from './faults.js';

/** Facts of a store in a SQLite file, for an administrator. */
export interface StoreFile {
  /** `ok`, or what is damaged. */
  readonly integrity: string;
  readonly schema: string;
  /** Whether this package can use tables of that version. */
  readonly isUsable: boolean;
  /** Keys of bids and commands whose records are damaged. */
  readonly damaged: readonly string[];
  /** Counts by kind and state, such as `{ "intents sent": 2 }`, over all accounts. */
  readonly records: Readonly<Record<string, number>>;
  /** Accounts that have bids or commands. */
  readonly accounts: readonly string[];
}

/** Whether an existing file is a store. It changes nothing. @throws StoreError if SQLite can't read it */
export function isStoreFile(path: string): boolean {
  return withFile(path, hasTables);
}

/** Checks a file; undefined if it is not a store. @throws StoreError if SQLite can't read it */
export function inspectStoreFile(path: string): StoreFile | undefined {
  return withFile(path, (database) => {
    if (!hasTables(database)) return undefined;
    const [version] = rowsOf(database, `SELECT value FROM ${tableName('meta')} WHERE name = 'schema'`);
    const problems = rowsOf(database, 'PRAGMA integrity_check').map((row) => String(row['integrity_check']));
    const accounts = rowsOf(
      database,
      `SELECT DISTINCT account FROM ${tableName('intents')} ORDER BY account`,
    );
    const schema = String(version?.['value'] ?? 'none');
    const isReadable = `CASE WHEN json_valid(content)
      THEN json_type(content, '$.log') IS 'array' AND json_type(content, '$.identity') IS 'object' END`;
    const damaged = rowsOf(
      database,
      `SELECT key FROM ${tableName('intents')} WHERE (${isReadable}) IS NOT 1 ORDER BY id LIMIT 100`,
    );
    return {
      integrity: problems.join('; '),
      schema,
      isUsable: schema === SCHEMA_VERSION,
      damaged: damaged.map(({ key }) => String(key)),
      records: countsOf(database),
      accounts: accounts.map(({ account }) => String(account)),
    };
  });
}

/**
 * Copies a store to a new file that only this user can read, because it holds bids. Other processes can go on writing.
 * Leaves no file if it fails.
 *
 * @throws StoreError if SQLite can't read or copy it, Error if the new file exists or the copy is damaged
 */
export function copyStoreFile(path: string, target: string): void {
  closeSync(openSync(target, 'wx', 0o600));
  try {
    withFile(path, (database) => database.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`));
    sync(target);
    const integrity = inspectStoreFile(target)?.integrity;
    if (integrity !== 'ok') throw new Error(`The copy is damaged: ${integrity}. Run "store check".`);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}

/**
 * Puts a copy of a backup in the place of a store, whose file is renamed to `kept`. No process may use the store.
 *
 * @throws StoreError if SQLite can't read or copy the backup, Error if `kept` exists
 */
export function replaceStoreFile(backup: string, path: string, kept: string): void {
  if (existsSync(kept)) throw new Error(`${kept} exists. Move it first.`);
  const copy = `${path}.restoring`;
  // Left by a restore that was interrupted.
  rmSync(copy, { force: true });
  copyStoreFile(backup, copy);
  // The journal belongs to the file before: SQLite would apply it to the new one.
  for (const suffix of ['-journal', ''])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix);
  renameSync(copy, path);
}

/** SQLite does not sync the target of VACUUM INTO. */
function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function withFile<T>(path: string, work: (database: SqliteDatabase) => T): T {
  let database: SqliteDatabase | undefined;
  try {
    database = openDatabase(path);
    database.exec('PRAGMA busy_timeout = 10000');
    return work(database);
  } catch (error) {
    throw faultOf(`SQLite (${path})`, error);
  } finally {
    database?.close();
  }
}

function hasTables(database: SqliteDatabase): boolean {
  const named = `SELECT name FROM sqlite_master WHERE type = 'table' AND name = '${tableName('meta')}'`;
  return rowsOf(database, named).length > 0;
}

function countsOf(database: SqliteDatabase): Readonly<Record<string, number>> {
  const kinds = { intents: 'intents', webhook_events: 'webhook events' } as const;
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([table, kind]) => {
      const counted = `SELECT state, COUNT(*) AS count FROM ${tableName(table)} GROUP BY state ORDER BY state`;
      return rowsOf(database, counted).map(({ state, count }) => [`${kind} ${state}`, Number(count)]);
    }),
  );
}

function rowsOf(database: SqliteDatabase, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const rows = database.prepare(sql).all();
  return Array.isArray(rows) ? rows : [];
}
