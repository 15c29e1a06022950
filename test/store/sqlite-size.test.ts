import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase, type SqliteDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { ACCOUNT, at, insert, newFolder, row } from './kit.js';

function newFile(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'auction.db');
}

it('finds every row by an index', async () => {
  const database = openDatabase(newFile());
  onTestFinished(() => {
    database.close();
  });
  const asked = new Set<string>();
  const watching: SqliteDatabase = {
    prepare(sql) {
      asked.add(sql);
      return database.prepare(sql);
    },
    exec: (sql) => database.exec(sql),
    close: () => undefined,
  };
  const store = sqliteStore({ database: watching });
  const bid = { lot: 'lot_1', buyer: 'D-204', paise: 1n };
  await insert(store, row('a', { bid }), row('b', { bid, once: 'once' }));
  await store.transaction(ACCOUNT, async (tx) => {
    const { intents } = tx;
    await intents.get('a');
    await intents.update(row('a', { state: 'done' }), 1, at(1));
    await intents.update(row('a', { state: 'done' }), 2, at(1));
    await intents.update(row('b', { state: 'done', once: 'once' }), 1, at(1));
    for (const which of ['open', 'unresolved', 'all'] as const) await intents.list({ which, limit: 1 });
    await intents.settledAfter(0, 1);
    await intents.openBids('lot_1', 'D-204');
    await intents.latestOnce('once');
    await intents.exposure({ lot: 'lot_1', buyer: 'D-204', nowMs: 1, key: '' });
    await intents.touchOwner('owner');
    await tx.evidence.claim('bid_id', 'x', 'a');
    await tx.evidence.claim('bid_id', 'x', 'a');
    await tx.account.noteServerTime(1);
    await tx.account.serverTime();
    await tx.account.setHalt('why');
    await tx.intents.prune({ serverMs: 2, localMs: 2 }, 10, (content) => content);
  });
  const statements = [...asked].filter((sql) => /vehicle_auction_(?:intents|evidence|accounts)/.test(sql));
  expect(statements.length).toBeGreaterThan(20);
  const plans = statements
    .filter((sql) => /^(?:SELECT|UPDATE|DELETE|INSERT)/.test(sql))
    .flatMap((sql) => {
      const values = [...sql.matchAll(/\?/g)].map(() => 0);
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      return plan.map(({ detail }) => `${detail}: ${sql}`);
    });
  // The account alone would find all of its rows.
  const isSlow = /^(?:SCAN (?:vehicle|bid|other)|SEARCH (?!vehicle_auction_accounts)[^:]*\(account=\?\):)/;
  expect(plans.filter((plan) => isSlow.test(plan))).toEqual([]);
  // What is asked for in an order comes in it, so that a limit ends the work.
  expect(plans.filter((plan) => /^USE TEMP B-TREE FOR [^:]*ORDER BY/.test(plan))).toEqual([]);
  const used = new Set(plans.flatMap((plan) => /INDEX vehicle_auction_(\w+)/.exec(plan)?.[1] ?? []));
  const all = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    .all() as { name: string }[];
  const unused = all
    .map(({ name }) => name.replace('vehicle_auction_', ''))
    .filter((name) => !used.has(name));
  // Open intents are few, and found without those that have settled.
  expect([...used]).toContain('intents_unresolved');
  // The guard is for what it excludes.
  expect(unused.filter((name) => /^(?:intents|evidence|accounts)_/.test(name))).toEqual(['intents_guard']);
});
