import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore } from '../../src/postgres/index.js';
import { openDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import type { IntentRow } from '../../src/store/intents.js';
import type { Store } from '../../src/store/store.js';
import { docBlocks } from '../support/doc-blocks.js';
import { newDatabase } from '../support/postgres/shared.js';

const blocks = docBlocks().filter(({ page, language }) => page === 'docs/stores.md' && language === 'sql');
const [unresolved = ''] = blocks.filter(({ marks }) => marks.length === 0).map(({ code }) => code);
const grants = blocks.find(({ marks }) => marks.includes('grants'))?.code ?? '';

const folder = mkdtempSync(join(tmpdir(), 'docs-sql-'));
const at = { server: 1_000_000, local: 1_000_000 };

function bid(key: string, lot: string, state: IntentRow['state'], provisional = false): IntentRow {
  const columns = { lot, buyer: 'buyer-9', paise: 46_500_050n };
  return { key, state, provisional, guarded: false, bid: columns, content: `{"key":"${key}"}` };
}

async function fill(store: Store): Promise<void> {
  await store.transaction('sandbox', async ({ intents }) => {
    await intents.insert(bid('in doubt', 'lot_1', 'sent'), at);
    await intents.insert(bid('accepted', 'lot_2', 'accepted'), at);
    await intents.insert(bid('provisional', 'lot_2', 'refused', true), at);
  });
}

let pool: pg.Pool;
let databases: { readonly name: string; ask(sql: string): Promise<unknown> }[];
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await newDatabase() });
  await fill(postgresStore({ pool }));
  const path = join(folder, 'auction.db');
  const sqlite = sqliteStore(path);
  await fill(sqlite);
  await sqlite.close();
  const database = openDatabase(path);
  databases = [
    { name: 'Postgres', ask: async (sql) => (await pool.query(sql)).rows },
    { name: 'SQLite', ask: async (sql) => database.prepare(sql).all() },
  ];
});
afterAll(async () => {
  await pool.end();
  rmSync(folder, { recursive: true });
});

/** Numbers of both databases as numbers: Postgres returns them as text. */
function plain(rows: unknown): unknown {
  return JSON.parse(JSON.stringify(rows), (_, value) =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
}

function shown(key: string, state: string, lot: string): object {
  return { key, state, lot, buyer: 'buyer-9', rupees: 465000.5, content: `{"key":"${key}"}` };
}

describe('the SQL of docs/stores.md', () => {
  it('shows, in both databases, what is unresolved', async () => {
    for (const { name, ask } of databases) {
      expect(plain(await ask(unresolved)), name).toEqual([
        shown('in doubt', 'sent', 'lot_1'),
        shown('provisional', 'refused', 'lot_2'),
      ]);
    }
  });

  it('grants a role all that a store needs once the tables are there, and no more', async () => {
    const url = new URL(await newDatabase());
    const owner = new pg.Pool({ connectionString: url.href });
    const role = `bidder_of_the_docs_${process.pid}`;
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'bidder'`);
    url.username = role;
    url.password = 'bidder';
    const bidder = new pg.Pool({ connectionString: url.href });
    try {
      await expect(fill(postgresStore({ pool: bidder }))).rejects.toMatchObject({ reason: 'read_only' });
      await postgresStore({ pool: owner }).transaction('sandbox', (tx) => tx.account.halt());
      await expect(fill(postgresStore({ pool: bidder }))).rejects.toMatchObject({ reason: 'read_only' });
      await owner.query(grants.replaceAll('TO bidder;', `TO ${role};`));
      const store = postgresStore({ pool: bidder });
      await fill(store);
      await store.transaction('sandbox', async (tx) => {
        await tx.account.setHalt('lunch');
        await tx.account.advanceServerTime(at.server);
        await tx.evidence.reserve('bid_id', 'bid_1', 'accepted');
        const later = { server: at.server + 1, local: at.local + 1, now: at.local + 1 };
        expect(await tx.intents.prune(later, 10, (content) => content)).toBe(1);
      });
      await store.departures?.exchange('quota', 0, () => []);
      await expect(bidder.query('DROP TABLE vehicle_auction_intents')).rejects.toThrow('must be owner');
    } finally {
      await Promise.all([bidder.end(), owner.end()]);
    }
  });
});
