import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { expect, it } from 'vitest';
import { storePlaces } from '../support/store-places.js';
import { isLong, oneAuction } from './killing.js';
import { Worker } from './worker-process.js';

const ROWS = 100;
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
      const order = { baseUrl, credentials: credentials.dealer, store: await placeOf(), rows };
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
