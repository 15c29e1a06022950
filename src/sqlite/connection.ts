import { openDatabase, type SqliteDatabase, type SqliteStatement } from './database.js';
import { refusal } from './faults.js';
import {
  canonicalPath,
  checkFile,
  checkIdentity,
  type FileIdentity,
  identityOf,
  prepareFile,
} from './file.js';

/** A path, or a connection that is the user's. */
export type SqliteSource = string | { readonly database: SqliteDatabase };

/**
 * An open database, used by all stores of this process that name the same file: SQLite's locks are the process's, so that
 * a second copy of the library would not see those of the first.
 */
export interface Connection {
  readonly database: SqliteDatabase;
  /** Whether the connection is ours to close. */
  readonly owned: boolean;
  /** Absent for a database in memory. */
  readonly file: FileIdentity | undefined;
  /** By their SQL. They must not be used after the database is closed. */
  readonly statements: Map<string, PreparedStatement>;
  readonly users: Set<object>;
  /** Resolves when the transaction before is over. */
  turn: Promise<unknown>;
  /** `stopped` after a commit whose outcome is not known; `closed` where a user that finds it so may open another. */
  state: 'open' | 'closed' | 'stopped';
}

export interface PreparedStatement {
  readonly statement: SqliteStatement;
  /** Which value stands at each of its question marks. */
  readonly order: readonly number[];
}

interface Connections {
  readonly byPath: Map<string, Connection>;
  readonly byDatabase: WeakMap<SqliteDatabase, Connection>;
}

const PLACE = Symbol.for('vehicle-auction-sdk.sqlite');

/** One for every copy of this module, such as the ESM and the CommonJS build. */
function connections(): Connections {
  const shared = globalThis as typeof globalThis & { [PLACE]?: Connections };
  shared[PLACE] ??= { byPath: new Map(), byDatabase: new WeakMap() };
  return shared[PLACE];
}

/** Opens the database, or joins those who have it open. */
export function join(store: string, source: SqliteSource, user: object): Connection {
  const connection = typeof source === 'string' ? atPath(store, source) : ofDatabase(store, source.database);
  connection.users.add(user);
  return connection;
}

/** The last one out closes it. */
export function leave(connection: Connection, user: object): void {
  connection.users.delete(user);
  if (connection.users.size === 0) discard(connection);
}

/** Closes it for everybody who has it. */
export function discard(connection: Connection, state: 'closed' | 'stopped' = 'closed'): void {
  if (connection.state !== 'open') return;
  connection.state = state;
  const { byPath, byDatabase } = connections();
  for (const [path, each] of byPath) if (each === connection) byPath.delete(path);
  byDatabase.delete(connection.database);
  connection.statements.clear();
  if (!connection.owned) return;
  try {
    connection.database.close();
  } catch {
    // Closed already; there is nothing left to let go.
  }
}

function atPath(store: string, path: string): Connection {
  const { byPath } = connections();
  const known = identityOf(path) && byPath.get(canonicalPath(path));
  if (known !== undefined && isThere(known)) return known;
  prepareFile(store, path);
  const name = canonicalPath(path);
  const file = identityOf(name);
  const database = openDatabase(name);
  const connection = { ...fresh(database), owned: true, file };
  try {
    if (file !== undefined) checkIdentity(store, file);
    configure(store, database);
  } catch (error) {
    discard(connection);
    throw error;
  }
  byPath.set(name, connection);
  return connection;
}

function ofDatabase(store: string, database: SqliteDatabase): Connection {
  const { byDatabase } = connections();
  const known = byDatabase.get(database);
  if (known?.state === 'open') return known;
  const path = fileOf(database);
  if (path !== undefined) checkFile(store, path);
  configure(store, database);
  const connection = {
    ...fresh(database),
    owned: false,
    file: path === undefined ? undefined : identityOf(path),
  };
  byDatabase.set(database, connection);
  return connection;
}

function fresh(database: SqliteDatabase): Omit<Connection, 'owned' | 'file'> {
  return { database, statements: new Map(), users: new Set(), turn: Promise.resolve(), state: 'open' };
}

function isThere({ file }: Connection): boolean {
  if (file === undefined) return false;
  const found = identityOf(file.path);
  return found?.dev === file.dev && found.ino === file.ino;
}

/** The file of a connection; undefined where it is in memory. */
export function fileOf(database: SqliteDatabase): string | undefined {
  const rows = rowsOf(database.prepare('PRAGMA database_list').all());
  const file = rows.find(({ name }) => name === 'main')?.['file'];
  return typeof file === 'string' && file !== '' ? file : undefined;
}

/**
 * A rollback journal, because one flipped bit in the log of WAL mode can drop commits unnoticed. A commit returns once
 * the end of the journal is on disk, too. SQLite itself never waits for a lock: that would stop the event loop.
 */
function configure(store: string, database: SqliteDatabase): void {
  database.exec('PRAGMA busy_timeout = 0');
  const [row] = rowsOf(database.prepare('PRAGMA journal_mode = DELETE').all());
  const mode = row?.['journal_mode'];
  if (mode !== 'delete' && mode !== 'memory') {
    throw refusal(
      'unsupported',
      `${store} can't be used: its journal mode stays "${String(mode)}".`,
      'Give it a file that no other program has open in this mode.',
    );
  }
  database.exec('PRAGMA synchronous = EXTRA');
  database.exec('PRAGMA fullfsync = 1');
}

/** What a statement returned. */
export function rowsOf(result: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(result) ? result : [];
}
