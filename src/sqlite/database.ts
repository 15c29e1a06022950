import { createRequire } from 'node:module';
import { StoreError } from '../errors/store.js';

/**
 * What is needed of a SQLite connection. `DatabaseSync` of node:sqlite, `Database` of bun:sqlite, libsql and
 * better-sqlite3 all have it.
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

/** Opens a file with the SQLite of this runtime, else with libsql. */
export function openDatabase(path: string): SqliteDatabase {
  const { Database } = driver();
  return new Database(path);
}

interface DatabaseModule {
  readonly Database: new (path: string) => SqliteDatabase;
}

let loaded: DatabaseModule | undefined;

function driver(): DatabaseModule {
  loaded ??= bunSqlite() ?? nodeSqlite() ?? libsql();
  if (loaded !== undefined) return loaded;
  throw new StoreError({
    reason: 'unsupported',
    what: 'The SQLite store has no driver: this runtime has no SQLite, and libsql is not installed.',
    nextStep:
      'Use Node 22.13 or later, run `npm install libsql`, or pass a connection as `sqliteStore({ database })`.',
  });
}

function bunSqlite(): DatabaseModule | undefined {
  if (process.versions['bun'] === undefined) return undefined;
  return classIn(required('bun:sqlite'), 'Database');
}

function nodeSqlite(): DatabaseModule | undefined {
  if (typeof process.getBuiltinModule !== 'function') return undefined;
  // Node 22 warns that its SQLite is experimental. Loading is synchronous, so nobody else's warning passes here.
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply(target, self, args) {
      if (!String(args[0]).startsWith('SQLite is an experimental feature')) Reflect.apply(target, self, args);
    },
  });
  try {
    return classIn(process.getBuiltinModule('node:sqlite'), 'DatabaseSync');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function libsql(): DatabaseModule | undefined {
  const module = required('libsql');
  return classIn({ default: module }, 'default') ?? classIn(module, 'default');
}

/** By a name that bundlers don't follow, so that a program without libsql can be bundled. */
function required(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name);
  } catch {
    return undefined;
  }
}

function classIn(module: unknown, name: string): DatabaseModule | undefined {
  if (typeof module !== 'object' || module === null) return undefined;
  const found: unknown = Reflect.get(module, name);
  return isDatabaseClass(found) ? { Database: found } : undefined;
}

function isDatabaseClass(value: unknown): value is DatabaseModule['Database'] {
  return typeof value === 'function';
}
