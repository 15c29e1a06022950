import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import type { Command } from 'commander';
import { openDatabase, type SqliteDatabase } from '../../sqlite/database.js';
import { faultOf } from '../../sqlite/faults.js';
import { tableName } from '../../store/schema.js';
import { connected } from '../client/session.js';
import { type ConnectionFlags, isPostgres, placeOf } from '../client/settings.js';
import { Exit, exits } from '../exit.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import { messageOf, UsageError } from '../usage-error.js';

/** `store check` and `store backup`, for stores in a SQLite file. */
export function addStore(program: Command, terminal: Terminal): void {
  const all = program.command('store').description('Check and back up the SQLite file of a store.');

  connected(
    all.command('check').description('Check that the file is undamaged, and count its records.'),
    'store check --store auction.db\nstore check --json',
  ).action((flags: ConnectionFlags) => {
    const out = new Output(terminal, flags.json === true);
    const { schema, integrity, records } = withFile(fileOf(flags, terminal, 'psql'), (database) => ({
      ...inspected(database),
      records: countsOf(database),
    }));
    out.item({ integrity, schema, records });
    if (integrity !== 'ok') throw new Exit(exits.configuration);
  });

  connected(
    all
      .command('backup')
      .argument('<file>', 'new file; an existing one is never overwritten')
      .description('Copy the store to a new file. Other processes can go on writing.'),
    'store backup auction-2026-11-26.db --store auction.db',
  ).action((target: string, flags: ConnectionFlags) => {
    const out = new Output(terminal, flags.json === true);
    const place = fileOf(flags, terminal, 'pg_dump');
    create(target);
    try {
      withFile(place, (database) => {
        inspected(database);
        database.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
      });
      sync(target);
      const { integrity } = withFile(target, inspected);
      if (integrity !== 'ok') throw new Error(`The copy is damaged: ${integrity}. Run "store check".`);
    } catch (error) {
      rmSync(target, { force: true });
      throw error;
    }
    out.item({ backup: target });
    out.say('To use it one day, stop every process, put it in place, then run "recover --restored" first.');
  });
}

/** @throws UsageError for Postgres, which has its own tools */
function fileOf(flags: ConnectionFlags, { env = process.env }: Terminal, tool: string): string {
  const place = placeOf(flags, env);
  if (isPostgres(place)) throw new UsageError(`This command is for SQLite files. For Postgres, use ${tool}.`);
  return place;
}

/** Creates an empty file that only this user can read: the copy holds bids. @throws UsageError if it exists */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw new UsageError(`${path} can't be created: ${messageOf(error)}. Choose another file.`);
  }
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

/** @throws StoreError if SQLite can't read or copy the file */
function withFile<T>(path: string, work: (database: SqliteDatabase) => T): T {
  let database: SqliteDatabase | undefined;
  try {
    database = openDatabase(path);
    database.exec('PRAGMA busy_timeout = 10000');
    return work(database);
  } catch (error) {
    throw error instanceof UsageError ? error : faultOf(`SQLite (${path})`, error);
  } finally {
    database?.close();
  }
}

/** @throws UsageError for a file that is not a store */
function inspected(database: SqliteDatabase): { readonly integrity: string; readonly schema: string } {
  const tables = rowsOf(
    database,
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name = '${tableName('meta')}'`,
  );
  if (tables.length === 0) throw new UsageError('The file is a SQLite database, but not a store.');
  const [version] = rowsOf(database, `SELECT value FROM ${tableName('meta')} WHERE name = 'schema'`);
  const problems = rowsOf(database, 'PRAGMA integrity_check').map((row) => String(row['integrity_check']));
  return { integrity: problems.join('; '), schema: String(version?.['value'] ?? 'none') };
}

/** Counts by kind and state, such as `{ "intents sent": 2 }`, over all accounts. */
function countsOf(database: SqliteDatabase): Readonly<Record<string, number>> {
  const kinds = { intents: 'intents', webhook_events: 'webhook events' } as const;
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([table, kind]) =>
      rowsOf(
        database,
        `SELECT state, COUNT(*) AS count FROM ${tableName(table)} GROUP BY state ORDER BY state`,
      ).map(({ state, count }) => [`${kind} ${state}`, Number(count)]),
    ),
  );
}

function rowsOf(database: SqliteDatabase, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const rows = database.prepare(sql).all();
  return Array.isArray(rows) ? rows : [];
}
