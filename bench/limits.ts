import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/sqlite/database.js';
import { sqliteStore } from '../src/sqlite/index.js';
import type { IntentRow } from '../src/store/intents.js';
import type { Store } from '../src/store/store.js';
import { median, type Ratio, ratioOf } from './measure.js';

/** Live bids of each buyer. */
const PER_BUYER = 300;

/** CPU of the sums that risk limits read with so many live bids, over those with 200. */
export async function limitsCost(count: number, rounds: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'limits-bench-'));
  const stores: Store[] = [];
  try {
    const [few, many] = [
      await filled(join(folder, 'few.db'), 200),
      await filled(join(folder, 'many.db'), count),
    ];
    stores.push(few, many);
    const pairs = [];
    for (let round = 0; round < rounds; round += 1) {
      pairs.push({ ours: await sumsTake(many), theirs: await sumsTake(few) });
    }
    return [ratioOf(`risk limits with ${count} live bids ÷ 200`, pairs, 'ms')];
  } finally {
    for (const store of stores) await store.close();
    await rm(folder, { recursive: true });
  }
}

async function sumsTake(store: Store): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const from = performance.now();
    const query = { lot: `lot_${n}`, buyer: 'buyer_0', now: 1, key: `key_${n}` };
    await store.transaction('sandbox', ({ intents }) => intents.exposure(query));
    times.push(performance.now() - from);
  }
  return median(times);
}

async function filled(path: string, count: number): Promise<Store> {
  const database = openDatabase(path);
  database.exec('PRAGMA synchronous = OFF');
  const store = sqliteStore({ database });
  for (let from = 0; from < count; from += 1_000) {
    await store.transaction('sandbox', async ({ intents }) => {
      for (let n = from; n < Math.min(from + 1_000, count); n += 1) {
        await intents.insert(bid(n), { server: 1, local: 1 });
      }
    });
  }
  return store;
}

function bid(n: number): IntentRow {
  const [lot, buyer] = [`lot_${n % PER_BUYER}`, `buyer_${Math.floor(n / PER_BUYER)}`];
  const columns = { lot, buyer, paise: 46_500_000n, closesAt: 1_000_000 };
  return { key: `key_${n}`, state: 'sent', provisional: false, guarded: true, bid: columns, content: '{}' };
}
