import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { storeConformance } from '../../src/testing/index.js';
import { insert, newFolder, row, sqliteStorage } from './kit.js';

it('finds every row by an index', async () => {
  const asked = new Set<string>();
  const watching = () =>
    sqliteStorage((sql) => {
      asked.add(sql);
      return sql;
    });
  for (const { run } of storeConformance(watching)) await run();
  const folder = newFolder();
  const database = openDatabase(join(folder, 'auction.db'));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  await insert(sqliteStore({ database }), row('a'));
  const statements = [...asked].filter((sql) => /vehicle_auction_(?:intents|evidence|accounts)/.test(sql));
  expect(statements.length).toBeGreaterThan(20);
  const plans = statements
    .filter((sql) => /^(?:SELECT|UPDATE|DELETE|INSERT)/.test(sql))
    .flatMap((sql) => {
      const values = [...sql.matchAll(/\?/g)].map(() => 0);
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      return plan.map(({ detail }) => `${detail}: ${sql}`);
    });
  // The account alone would find all of its rows. Accounts are few: one for each label.
  const isSlow =
    /^(?:SCAN (?:vehicle(?!_auction_accounts)|bid|other)|SEARCH (?!vehicle_auction_accounts)[^:]*\(account=\?\):)/;
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
