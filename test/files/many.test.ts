import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fetchTransport, PartnerClient } from '../../src/index.js';
import { startSandbox } from '../../src/sandbox/index.js';

it('a thousand photos stay within the quota, and a bid meanwhile does not wait for them', async () => {
  const auctions = [
    {
      label: 'pictured',
      name: 'Pictured',
      bid_type: 'open' as const,
      increment: '5000',
      opens: -10,
      closes: 600,
      lots: Array.from({ length: 100 }, () => ({ photos: 10 })),
    },
  ];
  const sandbox = await startSandbox({ clock: 'manual', listen: false, seed: { auctions } });
  const folder = await mkdtemp(join(tmpdir(), 'many-'));
  let underWay = 0;
  const transport = fetchTransport(async (input, init) => {
    underWay += 1;
    try {
      return await sandbox.fetch(input, init);
    } finally {
      underWay -= 1;
    }
  });
  const { dealer } = sandbox.credentials;
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: dealer,
    partnerType: 'direct_dealer',
    dealerId: dealer.dealerId,
    clock: sandbox.clock,
    transport,
    logLevel: 'off',
  });
  /** Lets time pass while nothing is on its way. */
  async function during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (underWay === 0) sandbox.clock.advance(400);
    }
    return work;
  }
  try {
    const lots = await during(auction.lots.list().toArray());
    const urls = lots.flatMap(({ images = [] }) => images);
    expect(urls).toHaveLength(1_000);
    const saving = auction.media.saveAll(urls, folder, { concurrency: 16, deadline: 3_600_000 });
    const [lot] = lots;
    let waitedMs = Number.POSITIVE_INFINITY;
    const bidding = (async () => {
      // When the window is full of photos.
      while (sandbox.attempts().length < 90) await new Promise((resolve) => setImmediate(resolve));
      const from = sandbox.clock.now();
      await auction.bids.submit(lot?.id ?? '', { amount: lot?.starting_price ?? '' });
      waitedMs = sandbox.clock.now() - from;
    })();
    const saved = await during(saving);
    await during(bidding);
    expect(saved.filter(({ status }) => status !== 'saved')).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
    const attempts = sandbox.attempts();
    expect(attempts.filter(({ status }) => status === 429)).toEqual([]);
    expect(waitedMs).toBeLessThan(5_000);
  } finally {
    await auction.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  }
});
