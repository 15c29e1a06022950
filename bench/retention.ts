import { execFile } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PRUNE_ROWS } from '../src/intents/ledger.js';
import { openDatabase } from '../src/sqlite/database.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { median, type Pair, type Ratio, ratioOf } from './measure.js';

interface Opened {
  /** From nothing to the outcome of the first bid, with `recover()`. */
  readonly firstMs: number;
  readonly heap: number;
  /** How long each ten bids took while retention deleted, and those of a client that keeps everything, ms. */
  readonly pruning: readonly (readonly number[])[];
  readonly keeping: readonly (readonly number[])[];
  /** Position of the oldest intent after the former. */
  readonly oldest?: number;
}

/** Bids of each kind, and batches of retention that are taken by themselves. */
const BIDS = 200;

/** What a client with many old intents takes to place its first bid, and by how much retention delays any bid. */
export async function retentionCost(count: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'retention-bench-'));
  try {
    const path = join(folder, 'many.db');
    const [few, many] = [await opened(join(folder, 'few.db'), 200), await opened(path, count)];
    const alone = await batches(path, bidsFor(count));
    const pair = (ours: number, theirs: number) => [{ ours, theirs }];
    const tens = many.pruning.map((ours, n) => ({ ours, theirs: many.keeping[n] ?? [] }));
    const inPairs = (of: (bids: readonly number[]) => number) =>
      tens.map(({ ours, theirs }) => ({ ours: of(ours), theirs: of(theirs) }));
    const longest = inPairs((bids) => Math.max(...bids));
    const [ours, theirs] = [longest.map((each) => each.ours), longest.map((each) => each.theirs)];
    const more = Math.max(0, Math.max(...ours) - Math.max(...theirs)).toFixed(1);
    return [
      ratioOf(`recover and first bid with ${count} intents ÷ 200`, pair(many.firstMs, few.firstMs), 'ms'),
      ratioOf(`heap with ${count} intents ÷ 200`, pair(many.heap, few.heap), 'MB'),
      ratioOf('a bid while retention deletes ÷ without', inPairs(median), 'ms'),
      ratioOf('the longest of ten ÷ without', longest, 'ms'),
      ratioOf(
        `the longest of all: ${more} ms more, at most 50`,
        pair(Math.max(...ours), Math.max(...theirs)),
        'ms',
      ),
      ratioOf(`a batch of ${PRUNE_ROWS} that retention deletes ÷ a commit`, alone, 'ms'),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What holds the event loop and the lock at once: a batch of retention, in turn with a commit that changes one row. */
async function batches(path: string, count: number): Promise<Pair[]> {
  const store = sqliteStore(path);
  const before = { server: Date.now(), local: Date.now(), now: Date.now() };
  const pairs: Pair[] = [];
  try {
    for (let n = 0; n < count; n += 1) {
      const times = [performance.now()];
      const deleted = await store.transaction('sandbox', (tx) =>
        tx.intents.prune(before, PRUNE_ROWS, (text) => text),
      );
      times.push(performance.now());
      await store.transaction('sandbox', (tx) => tx.account.advanceServerTime(before.server + n));
      times.push(performance.now());
      if (deleted !== PRUNE_ROWS) throw new Error(`A batch deleted ${deleted} rows`);
      const [from = 0, between = 0, to = 0] = times;
      pairs.push({ ours: between - from, theirs: to - between });
    }
    return pairs;
  } finally {
    await store.close();
  }
}

async function opened(path: string, count: number): Promise<Opened> {
  // The first intent is made as every other, and then copied.
  await run(path, 1);
  fill(path, count);
  const bids = bidsFor(count);
  const result = await run(path, bids);
  if ((result.oldest ?? 0) <= (bids - 1) * PRUNE_ROWS)
    throw new Error(`Retention left intent ${result.oldest} after ${bids} bids`);
  return result;
}

/** So many that retention has something to delete after each of them, and for as many batches after that. */
function bidsFor(count: number): number {
  return Math.min(BIDS, Math.floor(count / PRUNE_ROWS / 4));
}

async function run(path: string, bids: number): Promise<Opened> {
  const copy = `${path}.copy`;
  if (bids > 0 && existsSync(path)) copyFileSync(path, copy);
  const script = fileURLToPath(new URL('retention-place.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    script,
    path,
    copy,
    String(bids),
  ]);
  return JSON.parse(stdout);
}

/** Replaces what is there by copies of its first intent, all settled 40 days ago. */
function fill(path: string, count: number): void {
  const database = openDatabase(path);
  const settled = Date.now() - 40 * 86_400_000;
  database.exec('PRAGMA synchronous = OFF');
  database.exec('CREATE TEMP TABLE one AS SELECT * FROM vehicle_auction_intents ORDER BY id LIMIT 1');
  database.exec('DELETE FROM vehicle_auction_intents; DELETE FROM vehicle_auction_evidence');
  const counted = `WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count})`;
  database.exec(`INSERT INTO vehicle_auction_intents (id, account, key, state, open, unresolved, provisional, guarded, lot,
      buyer, paise, closes_at, owner_seen, content, body, version, shrunk, settled_sequence, settled_server_ms, settled_local_ms)
    ${counted} SELECT n, account, 'key-' || n, state, open, unresolved, provisional, guarded, 'old-' || n,
      buyer, paise, closes_at, owner_seen, content, body, version, shrunk, n, ${settled}, ${settled} FROM counted, one`);
  for (const kind of ['bid_id', 'request_id']) {
    database.exec(`INSERT INTO vehicle_auction_evidence (account, kind, value, key)
      ${counted} SELECT account, '${kind}', '${kind}-' || n, 'key-' || n FROM counted, one`);
  }
  database.close();
}
