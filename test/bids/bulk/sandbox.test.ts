import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../../src/client/options.js';
import { PartnerClient } from '../../../src/client/partner-client.js';
import { readBids, writeResults } from '../../../src/csv/index.js';
import { startSandbox } from '../../../src/sandbox/index.js';
import { memoryStore } from '../../../src/store/memory.js';

/** A sandbox over real connections, clients of it on one store, and a folder for files. */
async function office() {
  const sandbox = await startSandbox({ rateLimit: false });
  const folder = await mkdtemp(join(tmpdir(), 'bids-'));
  const store = memoryStore();
  const { aggregator } = sandbox.credentials;
  const clients: PartnerClient<'aggregator'>[] = [];
  return {
    sandbox,
    path: (name: string) => join(folder, name),
    lots: sandbox.auctions.get('live-open').lots,
    client: (more: Partial<PartnerClientOptions<'aggregator'>> = {}) => {
      const client = new PartnerClient<'aggregator'>({
        baseUrl: sandbox.baseUrl,
        environment: 'sandbox',
        credentials: aggregator,
        partnerType: 'aggregator',
        dealerId: aggregator.dealerId,
        store,
        quota: { limit: Number.POSITIVE_INFINITY, scope: 'client' },
        randomness: { uuid: () => crypto.randomUUID(), nonce: () => crypto.randomUUID(), fraction: () => 0 },
        logLevel: 'off',
        ...more,
      });
      clients.push(client);
      return client;
    },
    sent: () => sandbox.attempts().filter(({ operation }) => operation === 'bids.submit'),
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client.close();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Time that stands still: nothing depends on how fast this machine is. */
const STILL = { now: Date.now, monotonic: () => 0, after: () => () => undefined };

type Office = Awaited<ReturnType<typeof office>>;

/** A bids file: so many rows, each on a lot of its own, at the opening price. */
function bidsFile({ lots }: Office, count: number): string {
  const lines = lots
    .slice(0, count)
    .map((lot, index) => `r${index + 1},${lot.id},${lot.startingPrice},buyer-${index % 3}`);
  return ['row_id,lot_id,amount,bidder_reference', ...lines, ''].join('\n');
}

/** What the service has committed: each key once. */
function expectOnce({ sandbox }: Office, rows: number): void {
  const keys = sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey);
  expect([keys.length, new Set(keys).size]).toEqual([rows, rows]);
}

describe('a bids file', () => {
  it('is placed, its results are written as a file, and that file placed again sends nothing', async () => {
    await using at = await office();
    await writeFile(at.path('bids.csv'), bidsFile(at, 10));
    const auction = at.client();
    const run = auction.bids.placeAll(readBids(at.path('bids.csv')), { batchId: 'evening' });
    expect(await writeResults(run, at.path('results.csv'))).toBe(10);
    expect(await run.summary).toMatchObject({ rows: 10, isComplete: true, counts: { accepted: 10 } });
    expectOnce(at, 10);
    const [header, first] = (await readFile(at.path('results.csv'), 'utf8')).split('\r\n');
    expect(header).toMatch(/^row_id,lot_id,amount,bidder_reference,.*,status,idempotency_key,bid_id,/);
    expect(first).toContain(',accepted,');
    const sent = at.sent().length;
    const again = at.client().bids.placeAll(readBids(at.path('results.csv')), { batchId: 'evening' });
    expect(await again.summary).toMatchObject({ rows: 10, isComplete: true });
    expect([sent, at.sent().length]).toEqual([10, 10]);
  });
});

describe('a batch over a bad line', () => {
  it('doubles and loses nothing where connections are cut before and after the service commits', async () => {
    await using at = await office();
    at.sandbox.inject({ fault: 'drop_before_commit', operation: 'bids.submit', times: 3 });
    at.sandbox.inject({ fault: 'drop_after_commit', operation: 'bids.submit', times: 3 });
    const run = at.client().bids.placeAll(readBids([bidsFile(at, 12)]), { batchId: 'evening' });
    expect(await run.summary).toMatchObject({ isComplete: true, counts: { accepted: 12 } });
    expectOnce(at, 12);
    expect(at.sent().length).toBeGreaterThan(12);
  });

  it('settles what one run left unknown in the next, by another client', async () => {
    await using at = await office();
    at.sandbox.inject({ fault: 'drop_after_commit', operation: 'bids.submit', times: 4 });
    const goOn = at.sandbox.inject({ fault: 'drop_before_commit', operation: 'A06', times: 100 });
    // Less than the wait before a second lookup.
    const place = { maxAttempts: 1, deadline: 900 };
    const first = at
      .client({ clock: STILL })
      .bids.placeAll(readBids([bidsFile(at, 6)]), { batchId: 'evening', place });
    expect((await first.summary).counts).toMatchObject({ unknown: 4, accepted: 2 });
    goOn();
    const second = at.client().bids.placeAll(readBids([bidsFile(at, 6)]), { batchId: 'evening' });
    expect(await second.summary).toMatchObject({ isComplete: true, inDoubt: [], counts: { accepted: 6 } });
    expectOnce(at, 6);
    expect(at.sent()).toHaveLength(6);
  });
});

describe('a batch on one lot', () => {
  it('is accepted bid by bid in an open auction, because lower bids go first', async () => {
    await using at = await office();
    const [lot] = at.lots;
    const event = await at.client().events.get(at.sandbox.auctions.get('live-open').id);
    const step = Number(event.bid_increment);
    const rows = [4, 2, 0, 3, 1].map((index) => ({
      rowId: `r${index}`,
      lot: lot?.id ?? '',
      event,
      amount: `${Number(lot?.startingPrice) + index * step}`,
      bidderReference: `buyer-${index % 2}`,
    }));
    const { counts } = await at.client().bids.placeAll(rows, { batchId: 'evening' }).summary;
    expect(counts.accepted).toBe(5);
  });
});
