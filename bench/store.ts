import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabase, type SqliteDatabase } from '../src/sqlite/database.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { schema } from '../src/store/schema.js';
import type { IntentRow, Store } from '../src/store/store.js';
import { type Pair, type Ratio, ratioOf } from './measure.js';

const ACCOUNT = 'bench';

/** What a unit of work costs over a commit of SQLite itself, and what is saved where many come at once. */
export async function storeCost(count: number, rounds: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'store-bench-'));
  const store = sqliteStore(join(folder, 'bench.db'));
  const bare = openBare(join(folder, 'bare.db'));
  try {
    const single: Pair[] = [];
    const shared: Pair[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const one = { ours: 0, theirs: 0 };
      for (let done = 0; done < count; done += 1) {
        one.ours += await millis(() => insert(store));
        one.theirs += await millis(async () => bare.commit(nextRow().content));
      }
      const fifty = await millis(() => Promise.all(Array.from({ length: 50 }, () => insert(store))));
      // The first round is for warming up.
      if (round < 0) continue;
      single.push({ ours: one.ours / count, theirs: one.theirs / count });
      shared.push({ ours: fifty / 50, theirs: one.ours / count });
    }
    return [
      ratioOf('an intent, durable ÷ a bare commit of SQLite', single, 'ms'),
      ratioOf('one of 50 at once ÷ one by one', shared, 'ms'),
    ];
  } finally {
    await store.close();
    bare.close();
    await rm(folder, { recursive: true });
  }
}

/** Time and heap to open a store, list what is open and add one, with many settled intents over a few. */
export async function storeSize(few: number, many: number, rounds: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'store-bench-'));
  try {
    const heap: Pair[] = [];
    const time: Pair[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const ours = await opened(join(folder, `many-${round}.db`), many);
      const theirs = await opened(join(folder, `few-${round}.db`), few);
      heap.push({ ours: ours.heap, theirs: theirs.heap });
      time.push({ ours: ours.ms, theirs: theirs.ms });
    }
    return [
      ratioOf(`heap after opening ${many} intents ÷ ${few}`, heap, 'MB'),
      ratioOf(`opening ${many} intents and adding one ÷ ${few}`, time, 'ms'),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

let made = 0;

/** About as large as a bid is when it is recorded. */
function nextRow(): IntentRow {
  made += 1;
  const key = `3f0e6d52-9a41-4d0c-8a0e-${made.toString(16).padStart(12, '0')}`;
  const lot = `lot_${made}`;
  return {
    key,
    state: 'ready',
    provisional: false,
    guarded: true,
    bid: { lot, buyer: 'D-204', paise: 46_500_000n, closesAt: 1_772_431_320_000 },
    owner: 'bench',
    content: JSON.stringify({ lot, padding: 'x'.repeat(500) }),
    body: JSON.stringify({ amount: '465000.00', idempotency_key: key }),
  };
}

function insert(store: Store): Promise<void> {
  const at = { serverMs: 1_772_431_200_000, localMs: 1_772_431_200_000 };
  return store.transaction(ACCOUNT, ({ intents }) => intents.insert(nextRow(), at));
}

/** A table without indexes, written as durably as the store writes. */
function openBare(path: string): { commit(text: string): void; close(): void } {
  const database = openDatabase(path);
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA fullfsync = 1');
  database.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, content TEXT)');
  const statement = database.prepare('INSERT INTO bare (content) VALUES (?)');
  return {
    commit(text) {
      database.exec('BEGIN IMMEDIATE');
      statement.run(text);
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}

/** In a separate process, with what users import. */
async function opened(path: string, count: number): Promise<{ ms: number; heap: number }> {
  const database = openDatabase(path);
  fill(database, count);
  database.close();
  const script = fileURLToPath(new URL('store-open.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, path]);
  return JSON.parse(stdout);
}

/** Every thousandth is open. */
function fill(database: SqliteDatabase, count: number): void {
  database.exec('PRAGMA synchronous = OFF');
  for (const statement of schema('INTEGER PRIMARY KEY AUTOINCREMENT')) database.exec(statement);
  database.exec(`INSERT INTO vehicle_auction_intents (account, key, state, open, provisional, guarded, lot, buyer, paise,
      closes_at, owner_seen, content, settled_sequence, settled_server_ms, settled_local_ms)
    WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count})
    SELECT '${ACCOUNT}', 'key-' || n, CASE WHEN n % 1000 = 0 THEN 'sent' ELSE 'accepted' END, n % 1000 = 0, 0,
      n % 1000 = 0, 'lot-' || n, 'D-204', 46500000, n, 0, '${'x'.repeat(500)}',
      CASE WHEN n % 1000 = 0 THEN NULL ELSE n END, n, n FROM counted`);
}

async function millis(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
