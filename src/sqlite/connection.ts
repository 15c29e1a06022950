import { existsSync, realpathSync } from 'node:fs';
import { openDatabase, type SqliteDatabase, type SqliteStatement } from './database.js';
import { refusal } from './faults.js';
import { checkFile, checkIdentity, type FileIdentity, identityOf, isThere, prepareFile } from './file.js';

/** A path, or a connection that is the user's. */
export type SqliteSource = string | { readonly database: SqliteDatabase };

/**
 * An open database, shared by all stores of this process on the same file: the locks of SQLite belong to the process, so
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
  /** Resolves when the previous transaction is over. */
  turn: Promise<unknown>;
  /** `stopped` after a commit whose outcome is not known; after `closed`, its users open another. */
  state: 'open' | 'closed' | 'stopped';
}

export interface PreparedStatement {
  readonly statement: SqliteStatement;
  /** The index of the value for each of its question marks. */
  readonly order: readonly number[];
}

/** By path, or by the connection that the user passed. */
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

/** Opens the database, or joins the stores that have it open. */
export function join(store: string, source: SqliteSource, user: object): Connection {
  const connection = typeof source === 'string' ? atPath(store, source) : given(store, source.database);
  connection.users.add(user);
  return connection;
}

/** The last user to leave closes it. */
export function leave(connection: Connection, user: object): void {
  connection.users.delete(user);
  if (connection.users.size === 0) discard(connection);
}

/** Closes it for all its users. */
export function discard(connection: Connection, state: 'closed' | 'stopped' = 'closed'): void {
  if (connection.state !== 'open') return;
  connection.state = state;
  connection.statements.clear();
  if (!connection.owned) return;
  const { byPath } = connections();
  for (const [path, each] of byPath) if (each === connection) byPath.delete(path);
  connection.database.close();
}

function atPath(store: string, path: string): Connection {
  const { byPath } = connections();
  const known = existsSync(path) ? byPath.get(realpathSync(path)) : undefined;
  if (known?.file !== undefined && isThere(known.file)) return known;
  prepareFile(store, path);
  const name = realpathSync(path);
  const file = identityOf(name);
  const connection = opened(openDatabase(name), true, file);
  try {
    if (file !== undefined) checkIdentity(store, file);
    configure(store, connection.database);
  } catch (error) {
    discard(connection);
    throw error;
  }
  byPath.set(name, connection);
  return connection;
}

function given(store: string, database: SqliteDatabase): Connection {
  const { byDatabase } = connections();
  const known = byDatabase.get(database);
  if (known?.state === 'open') return known;
  const path = fileOf(database);
  if (path !== undefined) checkFile(store, path);
  configure(store, database);
  // The connection stays on the file that it was opened with, whatever is at the path by now.
  const file = known?.file ?? (path === undefined ? undefined : identityOf(path));
  const connection = opened(database, false, file);
  byDatabase.set(database, connection);
  return connection;
}

function opened(database: SqliteDatabase, owned: boolean, file: FileIdentity | undefined): Connection {
  const turn = Promise.resolve();
  return { database, owned, file, statements: new Map(), users: new Set(), turn, state: 'open' };
}

/** The file of a connection; undefined for a database in memory. */
export function fileOf(database: SqliteDatabase): string | undefined {
  const rows = rowsOf(database.prepare('PRAGMA database_list').all());
  const file = rows.find(({ name }) => name === 'main')?.['file'];
  return typeof file === 'string' && file !== '' ? file : undefined;
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
  database.exec('PRAGMA synchronous = EXTRA');
  database.exec('PRAGMA fullfsync = 1');
}

/** The rows that a statement returned. */
export function rowsOf(result: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(result) ? result : [];
}
