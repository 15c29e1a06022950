import { type BigIntStats, closeSync, openSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isError, thrownCode } from '../errors/thrown.js';
import type { SqlDriver, SqlQuery, SqlRow, SqlValue } from '../store/sql-driver.js';
import { openDatabase, type SqliteDatabase, type SqliteStatement } from './database.js';
import { faultOf, isBusy, isCertain, MOVED, storeRefusal } from './faults.js';

/** A path, or a connection of the user. */
export type SqliteSource = string | { readonly database: SqliteDatabase };

/** Options of waiting for a lock. */
export interface SqliteWaits {
  readonly delay: (ms: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Longest wait for a lock of another program, ms. */
  readonly lockTimeout: number;
}

/** A unit of work that waits for a transaction. */
interface Unit {
  run(query: SqlQuery): Promise<void>;
  succeed(): void;
  fail(error: unknown): void;
}

/** The most units that share a commit; more would block the event loop for long. */
const LARGEST_GROUP = 100;

/** Runs all work of one turn of the event loop in one transaction, each unit in a savepoint. */
export class SqliteDriver implements SqlDriver {
  readonly name: string;
  readonly durable: boolean;
  readonly serial = 'INTEGER PRIMARY KEY AUTOINCREMENT';
  readonly now = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
  readonly #source: SqliteSource;
  readonly #waits: SqliteWaits;
  readonly #isSynced: boolean;
  #connection: Connection | undefined;
  /** Set after a commit that may or may not have been written. The store stays stopped until it is closed. */
  #isStopped = false;
  readonly #waiting: Unit[] = [];
  #running: Promise<void> | undefined;

  /** @param isSynced false for a separate file that may lose its last commits in a power failure */
  constructor(source: SqliteSource, waits: SqliteWaits, isSynced = true) {
    this.#isSynced = isSynced;
    this.#source = source;
    this.#waits = waits;
    const file = typeof source === 'string' ? source : databaseFile(source.database);
    this.name = `SQLite (${file ?? 'in memory'})`;
    this.durable = file !== undefined;
  }

  transaction<T>(_account: string, work: (query: SqlQuery) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let succeed = () => {};
      this.#waiting.push({
        run: async (query) => {
          const value = await work(query);
          succeed = () => resolve(value);
        },
        succeed: () => succeed(),
        fail: reject,
      });
      this.#running ??= this.#run();
    });
  }

  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#disconnect();
    this.#isStopped = false;
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // All work that is asked for in this turn shares the transaction.
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#waiting.splice(0, LARGEST_GROUP);
      try {
        const connection = await this.#retrying(() => this.#begin());
        group.push(...this.#waiting.splice(0, LARGEST_GROUP - group.length));
        const succeeded = await this.#runUnits(connection, group);
        await this.#commit(connection, succeeded);
        for (const unit of succeeded) unit.succeed();
      } catch (error) {
        // Units that have failed stay unchanged.
        for (const unit of group) unit.fail(faultOf(this.name, error));
      }
    }
    this.#running = undefined;
  }

  #begin(): Connection {
    if (this.#isStopped) {
      throw storeRefusal(
        'stopped',
        `${this.name} has stopped: an earlier commit failed, and may or may not have been written.`,
        'Check the disk, then close() the store: the next use opens it again.',
      );
    }
    if (this.#connection === undefined) {
      this.#connection = new Connection(this.name, this.#source);
      if (!this.#isSynced) this.#connection.database.exec('PRAGMA synchronous = OFF');
    }
    this.#connection.checkFile();
    this.#connection.database.exec('BEGIN IMMEDIATE');
    return this.#connection;
  }

  /** Rejects the units that fail, and rolls back their writes. @returns the others */
  async #runUnits(connection: Connection, group: readonly Unit[]): Promise<readonly Unit[]> {
    const { database } = connection;
    const succeeded: Unit[] = [];
    try {
      for (const unit of group) {
        database.exec('SAVEPOINT unit');
        try {
          await unit.run((sql, values) => connection.query(sql, values));
          database.exec('RELEASE unit');
          succeeded.push(unit);
        } catch (error) {
          try {
            database.exec('ROLLBACK TO unit; RELEASE unit');
          } catch {
            // SQLite ended the whole transaction, as it does on a full disk.
            throw error;
          }
          unit.fail(error);
        }
      }
    } catch (error) {
      // An open transaction would hold the lock. The next connection to the file rolls back uncommitted writes.
      if (!connection.rollBack()) this.#disconnect();
      throw error;
    }
    return succeeded;
  }

  async #commit(connection: Connection, succeeded: readonly Unit[]): Promise<void> {
    try {
      await this.#retrying(() => connection.database.exec(succeeded.length > 0 ? 'COMMIT' : 'ROLLBACK'));
    } catch (error) {
      const isUndone = connection.rollBack() && isCertain(error) && connection.isReadable();
      if (!isUndone) {
        // A file that need not survive a power failure stays in use, with a new connection.
        this.#isStopped = this.#isSynced;
        this.#disconnect();
      }
      throw faultOf(this.name, error, isUndone ? 'failed' : 'unknown');
    }
  }

  /** Waits before the next try for a lock of another program. */
  async #retrying<T>(action: () => T): Promise<T> {
    const { delay, random, lockTimeout } = this.#waits;
    let waited = 0;
    for (let most = 2; ; most = Math.min(most * 2, 32)) {
      try {
        return action();
      } catch (error) {
        if (!isBusy(error) || waited >= lockTimeout) throw error;
      }
      const ms = 1 + random() * most;
      await delay(ms);
      waited += ms;
    }
  }
}

/** Limit of cached prepared statements, because in virtual time each moment has different SQL. */
const MOST_STATEMENTS = 200;

/** One open database, with its statements and the identity of its file. */
class Connection {
  readonly database: SqliteDatabase;
  readonly #store: string;
  readonly #isOwned: boolean;
  /** Absent for a database in memory. */
  readonly #file: FileIdentity | undefined;
  /** By their SQL, with the index of the value for each question mark. */
  readonly #statements = new Map<string, readonly [SqliteStatement, readonly number[]]>();

  /** @param store its name, for messages */
  constructor(store: string, source: SqliteSource) {
    this.#store = store;
    this.#isOwned = typeof source === 'string';
    if (typeof source === 'string') {
      prepareFile(store, source);
      const path = realpathSync(source);
      this.#file = fileIdentity(path);
      this.database = openDatabase(path);
    } else {
      this.database = source.database;
      const path = databaseFile(source.database);
      if (path !== undefined) checkFile(store, path);
      this.#file = path === undefined ? undefined : openedAs(source.database, path);
    }
    try {
      this.checkFile();
      configure(store, this.database);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @throws StoreError if the file was renamed, replaced or removed */
  checkFile(): void {
    if (this.#file !== undefined) checkIdentity(this.#store, this.#file);
  }

  query(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    try {
      const [statement, order] = this.#statements.get(sql) ?? this.#prepare(sql);
      const given = order.map((index) => values[index] ?? null);
      // libsql and better-sqlite3 refuse `all` for a statement without rows.
      if (Reflect.get(statement, 'reader') !== false) return sqlRows(statement.all(...given));
      statement.run(...given);
      return [];
    } catch (error) {
      throw faultOf(this.#store, error);
    }
  }

  /** @returns whether no transaction is open afterwards */
  rollBack(): boolean {
    try {
      this.database.exec('ROLLBACK');
      return true;
    } catch (error) {
      // SQLite rolled back already.
      return isError(error) && error.message.includes('no transaction is active');
    }
  }

  /** Reads the file, which also completes a rollback that it still needs. @returns whether that worked */
  isReadable(): boolean {
    try {
      this.database.prepare('SELECT COUNT(*) FROM sqlite_master').all();
      return true;
    } catch {
      return false;
    }
  }

  /** Statements must not be used after it. */
  close(): void {
    this.#statements.clear();
    if (this.#isOwned) this.database.close();
  }

  #prepare(sql: string): readonly [SqliteStatement, readonly number[]] {
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    // better-sqlite3 treats a numbered parameter as a named one.
    const order: number[] = [];
    const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
      order.push(Number(number) - 1);
      return '?';
    });
    const prepared = [this.database.prepare(text), order] as const;
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** The file of a connection; undefined for a database in memory. */
function databaseFile(database: SqliteDatabase): string | undefined {
  const rows = sqlRows(database.prepare('PRAGMA database_list').all());
  const file = rows.find(({ name }) => name === 'main')?.['file'];
  return typeof file === 'string' && file !== '' ? file : undefined;
}

const identities = new WeakMap<SqliteDatabase, FileIdentity>();

/** A connection of the user stays on the file that it was opened with, even if another is at the path now. */
function openedAs(database: SqliteDatabase, path: string): FileIdentity | undefined {
  const file = identities.get(database) ?? fileIdentity(path);
  if (file !== undefined) identities.set(database, file);
  return file;
}

/**
 * Sets a rollback journal, because one flipped bit in the log of WAL mode can silently drop commits. A commit returns
 * after the removal of its journal is on disk, too. SQLite never waits for a lock, which would block the event loop.
 */
function configure(store: string, database: SqliteDatabase): void {
  database.exec('PRAGMA busy_timeout = 0');
  const [row] = sqlRows(database.prepare('PRAGMA journal_mode = DELETE').all());
  const mode = row?.['journal_mode'];
  if (mode !== 'delete' && mode !== 'memory') {
    throw storeRefusal(
      'unsupported',
      `${store} can't be used: its journal mode stays "${String(mode)}".`,
      'Use a file that no other program has open in this mode.',
    );
  }
  database.exec('PRAGMA synchronous = EXTRA; PRAGMA fullfsync = 1');
}

function sqlRows(result: unknown): readonly SqlRow[] {
  return Array.isArray(result) ? result : [];
}

// The file: where SQLite can keep it safely, and whether it is still the one that was opened.

/** A file by what stays the same when it is renamed. */
interface FileIdentity {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * File systems of Linux, by the number that statfs(2) gives them, on which SQLite isn't safe: network file systems and
 * those that a program serves, whose locks and syncs are not reliable.
 */
const UNSAFE: Readonly<Record<string, readonly number[]>> = {
  NFS: [0x6969],
  SMB: [0x517b, 0xff534d42, 0xfe534d42],
  AFS: [0x5346414f, 0x6b414653],
  '9P': [0x01021997],
  Ceph: [0x00c36400],
  Lustre: [0x0bd00bd0],
  GFS2: [0x01161970],
  OCFS2: [0x7461636f],
  Coda: [0x73757245],
  NCP: [0x564c],
  GPFS: [0x47504653],
  BeeGFS: [0x19830326],
  OrangeFS: [0x20030528],
  IBRIX: [0x013111a8],
  vboxsf: [0x786f4256],
  vmhgfs: [0xbacbacbc],
  FUSE: [0x65735546],
};

/** @returns the name of a file system that is not safe; undefined for every other */
export function unsafeFileSystem(type: number): string | undefined {
  return Object.keys(UNSAFE).find((name) => UNSAFE[name]?.includes(type >>> 0));
}

/** Creates the file, readable by its owner only, if there is none, and checks that SQLite can keep it safely. */
function prepareFile(store: string, path: string): void {
  const folder = dirname(resolve(path));
  if (statOf(folder)?.isDirectory() !== true) {
    const what = `${store} can't be opened: there is no folder "${folder}".`;
    throw storeRefusal('unavailable', what, 'Create the folder or choose another path.');
  }
  checkFileSystem(store, folder);
  try {
    // Fails on a file that exists, without opening it: closing it again would drop the locks of SQLite.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (thrownCode(error) !== 'EEXIST') throw error;
  }
  checkFile(store, path);
}

/** Checks that SQLite can keep an existing file safely. */
function checkFile(store: string, path: string): void {
  const file = statOf(path);
  if (file?.isFile() === false) {
    throw storeRefusal('unavailable', `${store} can't be opened: it is not a file.`, 'Choose another path.');
  }
  // SQLite names the journal after the path, so a crash under one name could not be repaired under the other.
  if (file !== undefined && file.nlink > 1n) {
    const what = `${store} can't be opened: the file has ${file.nlink} hard links.`;
    throw storeRefusal('unsupported', what, 'Remove the other names of the file, or choose another path.');
  }
  checkFileSystem(store, path);
}

function checkFileSystem(store: string, path: string): void {
  const isShare = process.platform === 'win32' && /^[\\/]{2}/.test(resolve(path));
  // The numbers of other systems have other meanings.
  const type = process.platform === 'linux' ? statfsSync(path).type : 0;
  const name = isShare ? 'a network share' : unsafeFileSystem(type);
  if (name === undefined) return;
  throw storeRefusal(
    'unsupported',
    `${store} can't be opened: its file system is ${name}, where locks and syncs are not reliable.`,
    'Choose a path on a local disk, or use the Postgres store.',
  );
}

/** Which file is at a path now. Only stat is safe: opening and closing the file would drop the locks of SQLite. */
function fileIdentity(path: string): FileIdentity | undefined {
  const stats = statOf(path);
  return stats && { path, dev: stats.dev, ino: stats.ino };
}

/** @throws StoreError if a file is no longer at its path */
function checkIdentity(store: string, file: FileIdentity): void {
  const found = fileIdentity(file.path);
  if (found?.dev === file.dev && found.ino === file.ino) return;
  const what = `${store} can't be used: the file was renamed, replaced or removed while it was open.`;
  throw storeRefusal('moved', what, MOVED);
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
