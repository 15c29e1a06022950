import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type IntentRow, isOpen } from '../../src/store/intents.js';
import { memoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';

const lots = ['l1', 'l2', 'l3'];
const buyers = ['b1', 'b2'];

const save = fc.record({
  key: fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5'),
  state: fc.constantFrom('ready', 'sent', 'accepted', 'rejected', 'refused', 'not_sent'),
  lot: fc.constantFrom(...lots),
  buyer: fc.constantFrom(...buyers),
  paise: fc.bigInt({ min: 1n, max: 9n }),
  closesAt: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
} as const);

/** The sums as the rules state them, from all rows. */
function expected(
  rows: readonly IntentRow[],
  which: 'lot' | 'buyer',
  name: string,
  key: string,
  nowMs: number,
): bigint {
  const highest = new Map<string, bigint>();
  for (const { bid, state, key: own } of rows) {
    if (bid === undefined || bid[which] !== name) continue;
    const closes = rows.flatMap((row) => (row.bid?.lot === bid.lot ? (row.bid.closesAt ?? []) : []));
    const isClosed = closes.length > 0 && Math.max(...closes) <= nowMs;
    if (isClosed || !(isOpen(state) || state === 'accepted' || own === key)) continue;
    const pair = `${bid.lot} ${bid.buyer}`;
    const before = highest.get(pair) ?? 0n;
    highest.set(pair, before > bid.paise ? before : bid.paise);
  }
  return [...highest.values()].reduce((sum, each) => sum + each, 0n);
}

async function put(store: Store, row: IntentRow): Promise<void> {
  await store.transaction('a', async ({ intents }) => {
    const known = await intents.get(row.key);
    const at = { server: 1, local: 1 };
    if (known === undefined) await intents.insert(row, at);
    else await intents.update(row, known.version, at);
  });
}

it('What is at stake is kept as if it were summed from all bids, whatever is saved in whatever order', async () => {
  const run = fc.asyncProperty(
    fc.array(save, { maxLength: 25 }),
    fc.integer({ min: 0, max: 10 }),
    async (saves, nowMs) => {
      const store = memoryStore();
      const rows = new Map<string, IntentRow>();
      for (const { key, state, ...bid } of saves) {
        const row: IntentRow = { key, state, provisional: false, guarded: false, bid, content: '{}' };
        rows.set(key, row);
        await put(store, row);
      }
      for (const lot of lots) {
        for (const buyer of buyers) {
          const query = { lot, buyer, now: nowMs, key: 'k1' };
          const found = await store.transaction('a', ({ intents }) => intents.exposure(query));
          expect(found).toEqual({
            buyer: expected([...rows.values()], 'buyer', buyer, 'k1', nowMs),
            lot: expected([...rows.values()], 'lot', lot, 'k1', nowMs),
          });
        }
      }
    },
  );
  await fc.assert(run, { numRuns: 300 });
});
