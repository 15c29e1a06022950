import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabase } from '../src/sqlite/database.js';
import { type Ratio, ratioOf } from './measure.js';

interface Opened {
  /** From nothing to the outcome of the first bid, with `recover()`. */
  readonly firstMs: number;
  readonly heap: number;
  readonly pruning: Took;
  readonly afterwards: Took;
  /** Position of the oldest intent that is left. */
  readonly left?: number;
}

interface Took {
  readonly longest: number;
  readonly median: number;
}

/** Bids that each delete a slice of the old ones, and as many with nothing to delete. */
const ROWS_PER_BID = 200;

/** What a client with many old intents takes to place its first bid, and by how much retention delays any bid. */
export async function retentionCost(count: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'retention-bench-'));
  try {
    const [few, many] = [
      await opened(join(folder, 'few.db'), 200),
      await opened(join(folder, 'many.db'), count),
    ];
    const { pruning, afterwards } = many;
    const pair = (ours: number, theirs: number) => [{ ours, theirs }];
    return [
      ratioOf(`recover and first bid with ${count} intents ÷ 200`, pair(many.firstMs, few.firstMs), 'ms'),
      ratioOf(`heap with ${count} intents ÷ 200`, pair(many.heap, few.heap), 'MB'),
      ratioOf('a bid while retention deletes ÷ without', pair(pruning.median, afterwards.median), 'ms'),
      ratioOf('the longest of them ÷ without', pair(pruning.longest, afterwards.longest), 'ms'),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function opened(path: string, count: number): Promise<Opened> {
  // The first intent is made as every other, and then copied.
  await run(path, 1);
  fill(path, count);
  const result = await run(path, Math.ceil(count / ROWS_PER_BID) + 10);
  if (result.left !== undefined && result.left <= count)
    throw new Error(`Retention left intent ${result.left}`);
  return result;
}

async function run(path: string, bids: number): Promise<Opened> {
  const script = fileURLToPath(new URL('retention-place.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, path, String(bids)]);
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
  database.exec(`INSERT INTO vehicle_auction_intents (id, account, key, state, open, provisional, guarded, lot, buyer, paise,
      closes_at, owner_seen, content, body, settled_sequence, settled_server_ms, settled_local_ms)
    ${counted} SELECT n, account, 'key-' || n, state, open, provisional, guarded, 'old-' || n, buyer, paise,
      closes_at, owner_seen, content, body, n, ${settled}, ${settled} FROM counted, one`);
  for (const kind of ['bid_id', 'request_id']) {
    database.exec(`INSERT INTO vehicle_auction_evidence (account, kind, value, key)
      ${counted} SELECT account, '${kind}', '${kind}-' || n, 'key-' || n FROM counted, one`);
  }
  database.close();
}
