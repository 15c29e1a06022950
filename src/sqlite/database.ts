import { StoreError } from '../errors/store.js';
import { required } from '../runtime/required.js';

/**
 * A SQLite connection: `DatabaseSync` of node:sqlite, `Database` of bun:sqlite, or a `Database` of libsql or
 * better-sqlite3.
 */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
}

export interface SqliteStatement {
  all(...values: (string | number | null)[]): unknown;
  run(...values: (string | number | null)[]): unknown;
}

type DatabaseClass = new (path: string) => SqliteDatabase;

let loaded: DatabaseClass | undefined;

/** Opens a file with the SQLite of this runtime, else with libsql. */
export function openDatabase(path: string): SqliteDatabase {
  loaded ??= [bunSqlite, nodeSqlite, libsql].map((load) => load()).find(isDatabaseClass);
  if (loaded !== undefined) return new loaded(path);
  throw new StoreError({
    reason: 'unsupported',
    what: 'The SQLite store has no driver: this runtime has no SQLite, and libsql is not installed.',
    nextStep:
      'Use Node 22.13 or later, run `npm install libsql`, or pass a connection as `sqliteStore({ database })`.',
  });
}

function bunSqlite(): unknown {
  return process.versions['bun'] === undefined ? undefined : exported(installed('bun:sqlite'), 'Database');
}

function nodeSqlite(): unknown {
  if (typeof process.getBuiltinModule !== 'function') return undefined;
  // Node 22 warns that its SQLite is experimental. Loading is synchronous, so no other warning passes here.
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply(target, self, args) {
      if (!String(args[0]).startsWith('SQLite is an experimental feature')) Reflect.apply(target, self, args);
    },
  });
  try {
    return exported(process.getBuiltinModule('node:sqlite'), 'DatabaseSync');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function libsql(): unknown {
  return installed('libsql');
}

function installed(name: string): unknown {
  try {
    return required(name);
  } catch {
    return undefined;
  }
}

function exported(module: unknown, name: string): unknown {
  return typeof module === 'object' && module !== null ? Reflect.get(module, name) : undefined;
}

function isDatabaseClass(value: unknown): value is DatabaseClass {
  return typeof value === 'function';
}
