import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attempt, changeTo, idOf, intentWith, lease, made } from '../../src/intents/conformance/material.js';
import { Database } from '../../src/postgres/database.js';
import { postgresJournal } from '../../src/postgres/index.js';
import { type Migration, migrations } from '../../src/postgres/migrations.js';
import { givenPool } from '../../src/postgres/pool.js';
import { schemaNamed } from '../../src/postgres/schema.js';
import { newDatabase } from '../support/postgres/shared.js';

let url: string;
let pool: pg.Pool;
let count = 0;
let schema: string;

beforeAll(async () => {
  url = await newDatabase();
  pool = new pg.Pool({ connectionString: url, max: 10 });
});
afterAll(() => pool.end());
beforeEach(() => {
  count += 1;
  schema = `migrations ${count}`;
});

/** The package as it knew these migrations. */
function knowing(known: readonly Migration[], migrate = true): Database {
  return new Database({ pool: givenPool(pool), schema: schemaNamed(schema), migrate, migrations: known });
}

async function applied(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM "${schema}".migrations ORDER BY position`,
  );
  return rows.map(({ id }) => id);
}

/** Every column and index there is, as the server describes it. */
async function shape(of: string): Promise<unknown> {
  const columns = await pool.query(
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = $1 ORDER BY table_name, ordinal_position`,
    [of],
  );
  const indexes = await pool.query('SELECT indexname FROM pg_indexes WHERE schemaname = $1 ORDER BY 1', [of]);
  return [columns.rows, indexes.rows];
}

const ids = migrations.map(({ id }) => id);
const future: Migration = { id: '999-future', sql: (place) => `CREATE TABLE ${place.table('future')} ()` };

describe('migrations', () => {
  it('are those that were released, to the letter', () => {
    const place = schemaNamed('s');
    const digests = migrations.map(({ id, sql }) => [
      id,
      createHash('sha256').update(sql(place)).digest('hex').slice(0, 16),
    ]);
    expect(digests).toEqual([
      ['001-intents', '86b882e93f805b30'],
      ['002-open-intents', '012758791313bf42'],
    ]);
  });

  it('make everything from nothing, once', async () => {
    const journal = postgresJournal({ pool, schema });
    expect(await journal.migrate()).toEqual(ids);
    expect(await applied()).toEqual(ids);
    expect(await journal.migrate()).toEqual([]);
    expect(await postgresJournal({ pool, schema }).migrate()).toEqual([]);
    expect(await applied()).toEqual(ids);
  });

  it('are done by eight at once as by one', async () => {
    const pools = Array.from({ length: 8 }, () => new pg.Pool({ connectionString: url, max: 2 }));
    const journals = pools.map((own) => postgresJournal({ pool: own, schema }));
    // Half of them by their first use.
    const done = await Promise.all(
      journals.map((journal, index) => (index % 2 === 0 ? journal.migrate() : journal.find('key-1'))),
    );
    const nothing = done.filter((each) => each.length === 0);
    expect([7, 8]).toContain(nothing.length);
    expect(await applied()).toEqual(ids);
    await Promise.all(pools.map((own) => own.end()));
  });

  it.each(migrations.map((_, known) => known))(
    'bring a database with the first %i of them up to date',
    async (known) => {
      const older = knowing(migrations.slice(0, known));
      expect(await older.migrate()).toEqual(ids.slice(0, known));
      const journal = postgresJournal({ pool, schema });
      expect(await journal.migrate()).toEqual(ids.slice(known));
      const whole = schema;
      schema = `${schema} at once`;
      await postgresJournal({ pool, schema }).migrate();
      expect(await shape(whole)).toEqual(await shape(schema));
    },
  );

  it('keep what the version before has written', async () => {
    await knowing(migrations.slice(0, 1)).migrate();
    const older = postgresJournal({ pool, schema, migrate: true });
    // What version 1 has of its tables suffices for this.
    await pool.query(
      `INSERT INTO "${schema}".intents (namespace, key, state, is_open, client_id, dealer_id, operation, body_sha256,
        intent, body, entry_count, fence)
      VALUES ($1, 'key-1', 'unknown', true, 'client-1', 'D-204', 'A36', $2, $3, $4, 1, 7)`,
      [
        idOf(intentWith('key-1')).namespace,
        intentWith('key-1').body.sha256,
        JSON.stringify(intentWith('key-1')),
        JSON.stringify(intentWith('key-1').body.text),
      ],
    );
    await pool.query(
      `INSERT INTO "${schema}".intent_entries (intent, number, type, entry)
      SELECT id, 1, 'attempt', $1 FROM "${schema}".intents`,
      [JSON.stringify(attempt(1))],
    );
    expect(await older.find('key-1')).toEqual([
      { intent: intentWith('key-1'), entries: [attempt(1)], state: 'unknown' },
    ]);
    await older.append(idOf(intentWith('key-1')), 7, changeTo('done', attempt(2)));
    expect((await older.find('key-1'))[0]?.entries).toEqual([attempt(1), attempt(2)]);
  });

  it('refuse a database that a newer version has used, and touch nothing', async () => {
    expect(await knowing([...migrations, future]).migrate()).toEqual([...ids, future.id]);
    const journal = postgresJournal({ pool, schema });
    for (const use of [() => journal.migrate(), () => made(journal, intentWith('key-1'))]) {
      await expect(use()).rejects.toMatchObject({
        name: 'JournalError',
        fault: 'unknown_format',
        message: expect.stringContaining('999-future'),
      });
    }
    expect(await applied()).toEqual([...ids, future.id]);
    const { rows } = await pool.query(`SELECT FROM "${schema}".intents`);
    expect(rows).toHaveLength(0);
  });

  it('refuse one whose history is another', async () => {
    const [first, ...others] = migrations;
    await knowing([{ id: '001-something-else', sql: first?.sql ?? future.sql }, ...others]).migrate();
    await expect(postgresJournal({ pool, schema }).migrate()).rejects.toMatchObject({
      fault: 'unknown_format',
      message: expect.stringContaining('001-something-else'),
    });
  });

  it('are all undone where one fails', async () => {
    const broken: Migration = { id: '003-broken', sql: () => 'CREATE TABLE no good' };
    await expect(knowing([...migrations, broken]).migrate()).rejects.toThrow('syntax error');
    const { rows } = await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
    expect(rows).toHaveLength(0);
    expect(await postgresJournal({ pool, schema }).migrate()).toEqual(ids);
  });

  it('wait for somebody with the rights where a journal must not do them itself', async () => {
    const role = `bidder_${process.pid}`;
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'bidder'`);
    const limited = new URL(url);
    limited.username = role;
    limited.password = 'bidder';
    const bidder = new pg.Pool({ connectionString: limited.href, max: 2 });
    const journal = postgresJournal({ pool: bidder, schema, migrate: false });
    const intent = intentWith('key-1', { lot: 'lot_1' });
    await expect(made(journal, intent)).rejects.toMatchObject({
      fault: 'unknown_format',
      message: expect.stringContaining('lacks the migration 001-intents'),
    });
    const itself = postgresJournal({ pool: bidder, schema });
    await expect(made(itself, intent)).rejects.toMatchObject({ fault: 'full' });

    await postgresJournal({ pool, schema }).migrate();
    await expect(made(journal, intent)).rejects.toMatchObject({ fault: 'full' });
    await pool.query(`GRANT USAGE ON SCHEMA "${schema}" TO ${role}`);
    await pool.query(`GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO ${role}`);
    await pool.query(
      `GRANT INSERT, UPDATE, DELETE ON "${schema}".intents, "${schema}".intent_entries TO ${role}`,
    );
    // Neither has a restart meanwhile; the second has rights enough now, because nothing is to be migrated.
    for (const each of [journal, itself]) {
      const answer = await each.create(intent, changeTo('unknown'), lease('maker'), { exclusive: true });
      expect(['created', 'exists']).toContain(answer.kind);
    }
    expect(await journal.prune()).toBe(0);
    await bidder.end();
  });

  it('refuse a database that can not keep every character', async () => {
    const latin = await newDatabase("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    const own = new pg.Pool({ connectionString: latin });
    await expect(postgresJournal({ pool: own }).migrate()).rejects.toMatchObject({
      fault: 'unsafe_place',
      message: expect.stringContaining('LATIN1'),
    });
    const { rows } = await own.query("SELECT FROM pg_namespace WHERE nspname = 'vehicle_auction'");
    expect(rows).toHaveLength(0);
    await own.end();
  });
});
