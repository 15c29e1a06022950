import { memoryStore } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { expect, it } from 'vitest';
import { storePlaces } from '../support/store-places.js';
import { dealerOf, isFull, isLong, oneAuction } from './killing.js';
import { Worker } from './worker-process.js';

const ROWS = 100;
/** A minute of the service lasts a second. */
const fast = { limit: 120, window: 1_000, margin: 100 };
const moments = isLong ? [1, 5, 20, 60] : [20];
const places = storePlaces().slice(0, isLong ? 2 : 1);
const cases = places.flatMap(([store, placeOf]) => moments.map((bids) => ({ store, placeOf, bids })));

it.each(cases)(
  'a hundred rows that are killed at bid $bids and run again cost one request each, on $store',
  { timeout: 3_600_000 },
  async ({ placeOf, bids }) => {
    const lots = Array.from({ length: ROWS }, () => ({}));
    const sandbox = await startSandbox({ rateLimit: false, seed: oneAuction('evening', lots) });
    try {
      const { baseUrl, credentials } = sandbox;
      const shown = [...sandbox.auctions.get('evening').lots];
      const rows = shown.map(({ id: lot, startingPrice: amount }, n) => ({ rowId: `row-${n}`, lot, amount }));
      const order = { baseUrl, credentials: credentials.dealer, store: await placeOf(), rows, quota: fast };
      const killed = await Worker.start(order, 'batcher.mjs');
      const withdraw = killAtBid(sandbox, killed, bids);
      await killed.gone;
      withdraw();
      const last = await Worker.start(order, 'batcher.mjs');
      const { message = '{}' } = (await last.until('finished')) ?? {};
      await last.end();
      expect(JSON.parse(message)).toMatchObject({ isComplete: true, counts: { accepted: ROWS } });
      expect(new Set(sandbox.ledger().map(({ lotId }) => lotId)).size).toBe(ROWS);
      expect(sandbox.ledger()).toHaveLength(ROWS);
      // A01, and one request for each row that was not settled: no lookup, and no lot.
      const attempts = sandbox.attempts();
      const again = attempts.slice(attempts.findLastIndex(({ operation }) => operation === 'A01'));
      expect(new Set(again.map(({ operation }) => operation))).toEqual(new Set(['A01', 'bids.submit']));
      expect(again.length).toBeLessThanOrEqual(ROWS + 1);
    } finally {
      await sandbox.close();
    }
  },
);

// The long form has the minutes and the rate limit of the service, and holds the estimate of the plan to a tenth.
it
  .runIf(isLong)
  .each(
    places.flatMap(([store, placeOf]) => [
      ['a third', store, placeOf] as const,
      ['all', store, placeOf] as const,
    ]),
  )(
  '500 rows by three processes that place %s of them are accepted once each, on %s',
  { timeout: 600_000 },
  async (share, _, placeOf) => {
    const isOwn = (n: number, part: number) => share === 'all' || n % 3 === part;
    const lots = Array.from({ length: 500 }, () => ({}));
    const sandbox = await startSandbox({
      ...(!isFull && { rateLimit: false }),
      keepAttempts: 2_000,
      seed: oneAuction('evening', lots),
    });
    try {
      const { baseUrl, credentials } = sandbox;
      const rows = sandbox.auctions
        .get('evening')
        .lots.map(({ id: lot, startingPrice: amount }, n) => ({ rowId: `row-${n}`, lot, amount }));
      const quota = isFull ? {} : fast;
      const order = { baseUrl, credentials: credentials.dealer, store: await placeOf(), quota };
      await using dealer = dealerOf(sandbox, { quota: { scope: 'client' }, store: memoryStore() });
      const { lastAt = 0, now } = await dealer.bids.plan(rows, { batchId: 'evening' });
      const from = performance.now();
      const workers = await Promise.all(
        [0, 1, 2].map((part) =>
          Worker.start({ ...order, rows: rows.filter((_row, n) => isOwn(n, part)) }, 'batcher.mjs'),
        ),
      );
      const ends = await Promise.all(workers.map((each) => each.until('finished')));
      const took = performance.now() - from;
      await Promise.all(workers.map((each) => each.end()));
      const summaries = ends.map((line) => JSON.parse(line?.message ?? '{}'));
      const counts = share === 'all' ? [500, 500, 500] : [167, 167, 166];
      expect(summaries).toMatchObject(counts.map((accepted) => ({ isComplete: true, counts: { accepted } })));
      expect(new Set(sandbox.ledger().map(({ lotId }) => lotId)).size).toBe(500);
      const bids = sandbox.attempts().filter(({ operation }) => operation === 'bids.submit');
      expect(bids).toHaveLength(500);
      if (isFull) expect(Math.abs(took / (lastAt - now) - 1)).toBeLessThan(0.1);
    } finally {
      await sandbox.close();
    }
  },
);

/** Kills a process when so many of its bids have reached the service, which judges the last one for nobody. */
function killAtBid({ inject }: Pick<Sandbox, 'inject'>, worker: Worker, count: number): () => void {
  let left = count;
  const where = () => {
    left -= 1;
    if (left === 0) worker.kill();
    return false;
  };
  // A fault that strikes nothing: it only sees what arrives.
  return inject({ operation: 'bids.submit', fault: 'delay', ms: 1, times: Number.POSITIVE_INFINITY, where });
}
