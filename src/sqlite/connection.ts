import { realpathSync } from 'node:fs';
import type { SqlRow, SqlValue } from '../store/sql-driver.js';
import { openDatabase, type SqliteDatabase, type SqliteStatement } from './database.js';
import { faultOf, refusal } from './faults.js';
import { checkFile, checkIdentity, type FileIdentity, identityOf, prepareFile } from './file.js';

/** A path, or a connection that is the user's. */
export type SqliteSource = string | { readonly database: SqliteDatabase };

/** The most prepared statements to keep: in virtual time, each moment has its own SQL. */
const MOST_STATEMENTS = 200;

/** One open database: its statements, and which file it is. */
export class Connection {
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
      this.#file = identityOf(path);
      this.database = openDatabase(path);
    } else {
      this.database = source.database;
      const path = fileOf(source.database);
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
      if (Reflect.get(statement, 'reader') !== false) return rowsOf(statement.all(...given));
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
      return error instanceof Error && error.message.includes('no transaction is active');
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
export function fileOf(database: SqliteDatabase): string | undefined {
  const rows = rowsOf(database.prepare('PRAGMA database_list').all());
  const file = rows.find(({ name }) => name === 'main')?.['file'];
  return typeof file === 'string' && file !== '' ? file : undefined;
}

const identities = new WeakMap<SqliteDatabase, FileIdentity>();

/** A connection of the user stays on the file that it was opened with, even if another is at the path now. */
function openedAs(database: SqliteDatabase, path: string): FileIdentity | undefined {
  const file = identities.get(database) ?? identityOf(path);
  if (file !== undefined) identities.set(database, file);
  return file;
}

/**
 * Sets a rollback journal, because one flipped bit in the log of WAL mode can silently drop commits. A commit returns
 * after the removal of its journal is on disk, too. SQLite never waits for a lock, which would block the event loop.
 */
function configure(store: string, database: SqliteDatabase): void {
  database.exec('PRAGMA busy_timeout = 0');
  const [row] = rowsOf(database.prepare('PRAGMA journal_mode = DELETE').all());
  const mode = row?.['journal_mode'];
  if (mode !== 'delete' && mode !== 'memory') {
    throw refusal(
      'unsupported',
      `${store} can't be used: its journal mode stays "${String(mode)}".`,
      'Use a file that no other program has open in this mode.',
    );
  }
  database.exec('PRAGMA synchronous = EXTRA; PRAGMA fullfsync = 1');
}

function rowsOf(result: unknown): readonly SqlRow[] {
  return Array.isArray(result) ? result : [];
}
