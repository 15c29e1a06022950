import { DatabaseFailure } from './failure.js';
import type { Migration } from './migrations.js';
import { quoted, type Schema } from './schema.js';
import { type Query, textIn } from './transaction.js';

/**
 * Ids of migrations that a database still lacks.
 *
 * @throws DatabaseFailure where it has others than these, because a newer version of this package made them
 */
export async function missing(
  query: Query,
  schema: Schema,
  known: readonly Migration[],
): Promise<readonly Migration[]> {
  const applied = await appliedTo(query, schema);
  const stranger = applied.find((id, index) => known[index]?.id !== id);
  if (stranger === undefined) return known.slice(applied.length);
  throw new DatabaseFailure(
    'unknown_format',
    `The schema ${quoted(schema.name)} has the migration ${stranger}, which this version doesn't know.`,
    'Bring every process to the newest version of vehicle-auction-sdk that has used it.',
  );
}

/**
 * Brings the tables up to date; to be run in a transaction, which others that do the same wait for.
 *
 * @returns ids of what was applied
 */
export async function migrate(
  query: Query,
  schema: Schema,
  known: readonly Migration[],
): Promise<readonly string[]> {
  await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text', [
    `vehicle-auction-sdk migrations of ${schema.name}`,
  ]);
  await refuseOtherEncodings(query);
  const lacking = await missing(query, schema, known);
  if (lacking.length === known.length) await begin(query, schema);
  for (const { id, sql } of lacking) {
    await query(sql(schema));
    await query(`INSERT INTO ${schema.table('migrations')} (position, id) VALUES ($1, $2)`, [
      String(known.findIndex((each) => each.id === id) + 1),
      id,
    ]);
  }
  return lacking.map(({ id }) => id);
}

async function appliedTo(query: Query, schema: Schema): Promise<string[]> {
  // Not to_regclass(): it answers from a cache, which may not know yet what was committed while a lock was awaited.
  const found = await query(
    `SELECT n.nspname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'migrations'`,
    [schema.name],
  );
  if (found.length === 0) return [];
  const rows = await query(`SELECT id FROM ${schema.table('migrations')} ORDER BY position`);
  return rows.map((row) => textIn(row, 'id'));
}

/** The schema may have been made beforehand, by somebody with the right to. */
async function begin(query: Query, schema: Schema): Promise<void> {
  const there = await query('SELECT nspname::text FROM pg_catalog.pg_namespace WHERE nspname = $1', [
    schema.name,
  ]);
  if (there.length === 0) await query(`CREATE SCHEMA ${quoted(schema.name)}`);
  await query(`CREATE TABLE ${schema.table('migrations')} (
    position integer PRIMARY KEY,
    id text NOT NULL UNIQUE,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`);
}

async function refuseOtherEncodings(query: Query): Promise<void> {
  const [row] = await query("SELECT current_setting('server_encoding') AS encoding");
  if (row?.['encoding'] === 'UTF8') return;
  throw new DatabaseFailure(
    'unsafe_place',
    `The database keeps text as ${String(row?.['encoding'])}, which not every character survives.`,
    "Use a database that was created with ENCODING 'UTF8'.",
  );
}
