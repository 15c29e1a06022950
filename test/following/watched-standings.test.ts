import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LotStandings, StandingsSource } from '../../src/following/standing.js';
import { LotWatch, type WatchParts } from '../../src/following/watch.js';
import type { WatchOptions } from '../../src/following/watch-options.js';
import { fetchTransport, memoryStore, PartnerClient, type Standing } from '../../src/index.js';
import { unlessAborted } from '../../src/runtime/timers.js';
import { type SeedAuction, startSandbox } from '../../src/sandbox/index.js';
import { rejection, thrownBy } from '../support/clients.js';
import { numbersFrom } from '../support/random.js';
import { sampled, thoroughly } from '../support/thorough.js';
import { apiError, brokenLine, collected, Lots, testPace, watchParts } from './support.js';

const auction = (label: string, over: Partial<SeedAuction> & Pick<SeedAuction, 'lots'>): SeedAuction => ({
  ...({ label, name: label, bid_type: 'open', increment: '5000', opens: -10, closes: 600 } as const),
  ...over,
});

/** A platform with the usual quota and its rival, against the sandbox in process and in its time. */
async function stage(open = 3, closed = 2) {
  const sandbox = await startSandbox({
    clock: 'manual',
    rateLimit: false,
    listen: false,
    seed: {
      random: 1,
      auctions: [
        auction('open', { lots: open }),
        auction('closed', { bid_type: 'closed', lots: closed }),
        auction('over', { lots: 1 }),
      ],
    },
  });
  let onTheWay = 0;
  const asked: { readonly at: number; readonly buyer: string | undefined; readonly lots: number }[] = [];
  const of = (who: 'platform' | 'aggregator', quota = {}) => {
    const { dealerId = '', ...credentials } = sandbox.credentials[who];
    return new PartnerClient({
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      credentials,
      partnerType: 'platform',
      dealerId,
      clock: sandbox.clock,
      transport: fetchTransport(async (input, init) => {
        if (String(input).endsWith('/status-batch')) {
          const { lot_ids, bidder_reference: buyer } = JSON.parse(
            new TextDecoder().decode(init?.body as Uint8Array),
          );
          asked.push({ at: sandbox.clock.monotonic(), buyer, lots: lot_ids.length });
        }
        onTheWay += 1;
        try {
          return await sandbox.fetch(input, init);
        } finally {
          onTheWay -= 1;
        }
      }),
      randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
      quota: { scope: 'client', ...quota },
      store: memoryStore(),
      logLevel: 'off',
    });
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; ) {
      if (onTheWay === 0) {
        sandbox.clock.advance(250);
        passed += 250;
      }
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    sandbox,
    asked,
    pass,
    platform: of('platform'),
    rival: of('aggregator', { limit: Number.POSITIVE_INFINITY }),
    lots: (label: string) => sandbox.auctions.get(label).lots,
    /** Submits a bid, and lets time pass for it. */
    async bid(client: PartnerClient<'platform'>, lot: string, buyer: string, amount: string | number) {
      const body = { amount: String(amount), bidder_reference: buyer };
      let isSettled = false;
      const sent = client.bids.submit(lot, body, { maxAttempts: 1 });
      void Promise.allSettled([sent]).then(() => {
        isSettled = true;
      });
      while (!isSettled) await pass(250);
      return sent;
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
    },
  };
}

const brief = (standings: readonly Standing[]) =>
  standings.map(({ bidderReference, standing = 'unknown', doubts }) =>
    [bidderReference, standing, ...doubts].join(' '),
  );

describe('standings in a watch of open auctions', () => {
  it('come with the snapshot, and a bid of the own store or of a rival is a change that names whose differ', async () => {
    await using world = await stage();
    const { platform, rival, pass, asked } = world;
    const [lot] = world.lots('open');
    if (lot === undefined) throw new Error('no lot');
    const buyers = ['buyer-1', 'buyer-2'];
    const { changes } = collected(platform.lots.watch(world.lots('open'), { buyers }));
    await pass(2_000);
    expect(changes).toHaveLength(3);
    for (const change of changes) {
      expect(change).toMatchObject({ type: 'snapshot' });
      expect('standings' in change && brief(change.standings)).toEqual(['buyer-1 no_bid', 'buyer-2 no_bid']);
    }
    const start = Number(lot.startingPrice);
    await world.bid(platform, lot.id, 'buyer-1', start);
    await pass(10_000);
    const own = changes.at(-1);
    expect(own).toMatchObject({
      type: 'changed',
      lot: lot.id,
      fields: expect.arrayContaining(['highest_amount']),
    });
    if (own?.type !== 'changed') throw new Error('no change');
    expect(brief(own.standings)).toEqual(['buyer-1 leading', 'buyer-2 no_bid']);
    expect(brief(own.changedStandings)).toEqual(['buyer-1 leading']);
    await world.bid(rival, lot.id, 'other-1', start + 5_000);
    await pass(6_000);
    const outbid = changes.at(-1);
    if (outbid?.type !== 'changed') throw new Error('no change');
    expect(outbid.changedStandings).toEqual([
      {
        lot: lot.id,
        bidderReference: 'buyer-1',
        standing: 'outbid',
        ownAmount: `${start}.00`,
        highestAmount: `${start + 5_000}.00`,
        derived: true,
        doubts: [],
      },
    ]);
    expect(asked.every(({ buyer }) => buyer === undefined)).toBe(true);
  });

  it('yield a change where only a doubt differs: a bid whose reply was lost, and which was never recorded', async () => {
    await using world = await stage();
    const { platform, sandbox, pass } = world;
    const [lot] = world.lots('open');
    const { changes } = collected(platform.lots.watch([lot?.id ?? ''], { buyers: ['buyer-1'] }));
    await pass(2_000);
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_before_commit' });
    await rejection(world.bid(platform, lot?.id ?? '', 'buyer-1', lot?.startingPrice ?? ''));
    await pass(6_000);
    expect(changes.at(-1)).toMatchObject({
      type: 'changed',
      fields: [],
      changedStandings: [{ bidderReference: 'buyer-1', standing: 'no_bid', doubts: ['bid_in_doubt'] }],
    });
    expect(changes).toHaveLength(2);
  });

  it('cost one request for a hundred lots, with 1,000 lots and 400 buyers, and those of hidden standings fit in', async () => {
    await using world = await stage(980, 20);
    const { platform, pass, asked } = world;
    const buyers = Array.from({ length: 400 }, (_, n) => `buyer-${n}`);
    const hidden = world.lots('closed');
    for (let n = 0; n < 10; n += 1) {
      const lot = hidden[n % 2];
      await world.bid(platform, lot?.id ?? '', `buyer-${n}`, Number(lot?.startingPrice) + n * 5_000);
    }
    // The window of the quota is idle again.
    await pass(61_000);
    const { changes } = collected(platform.lots.watch([...world.lots('open'), ...hidden], { buyers }));
    await pass(14_000);
    const sweep = asked.filter(({ buyer }) => buyer === undefined);
    expect(sweep.slice(0, 10).map(({ lots }) => lots)).toEqual(Array.from({ length: 10 }, () => 100));
    expect(changes.filter(({ type }) => type === 'snapshot')).toHaveLength(1_000);
    await pass(60_000);
    const begun = asked.length;
    await pass(60_000);
    const minute = asked.slice(begun);
    expect(minute.length).toBeLessThanOrEqual(61);
    expect(minute.length).toBeGreaterThanOrEqual(40);
    // Each buyer with a bid was asked for once within the first minutes, and no other.
    const read = asked.flatMap(({ buyer }) => buyer ?? []).sort();
    expect(read).toEqual(buyers.slice(0, 10));
  }, 60_000);

  const many = thoroughly(180, 980);
  it(`leave bids and an upload their places, which wait no longer than without the watch of ${many + 20} lots and 400 buyers`, async () => {
    const waits = async (isWatched: boolean) => {
      await using world = await stage(many, 20);
      const { platform, pass, sandbox } = world;
      const [over] = world.lots('over');
      if (over === undefined) throw new Error('no lot');
      await world.bid(platform, over.id, 'buyer-0', over.startingPrice);
      sandbox.auctions.close('over');
      const sale = sandbox.actors.bank.approve(over.id);
      const lots = [...world.lots('open'), ...world.lots('closed')];
      const buyers = Array.from({ length: 400 }, (_, n) => `buyer-${n}`);
      if (isWatched) collected(platform.lots.watch(lots, { buyers }));
      await pass(30_000);
      const from = sandbox.clock.monotonic();
      // As many as the reserve of a window, at once.
      const sent = lots.slice(0, 24).map(async ({ id, startingPrice }, n) => {
        await platform.bids.submit(id, { amount: startingPrice, bidder_reference: `buyer-${n}` });
        return sandbox.clock.monotonic() - from;
      });
      const content = new TextEncoder().encode('UTR 1');
      const slip = { sale_id: sale.id, purpose: 'payment_evidence', filename: 'slip.txt', content };
      const uploaded = platform.documents
        .upload(slip, { waitUntilReady: true })
        .then(() => sandbox.clock.monotonic() - from);
      await pass(5_000);
      return Promise.all([uploaded, ...sent]);
    };
    expect(await waits(true)).toEqual(await waits(false));
  }, 120_000);
});

describe('standings in a watch of closed auctions', () => {
  it('are read for buyers with a bid, again after a bid of theirs, and more often near the close', async () => {
    await using world = await stage();
    const { platform, rival, pass, asked, sandbox } = world;
    const [lot] = world.lots('closed');
    if (lot === undefined) throw new Error('no lot');
    const start = Number(lot.startingPrice);
    await world.bid(platform, lot.id, 'buyer-1', start);
    const watch = platform.lots.watch([lot], { buyers: ['buyer-1', 'buyer-2'] });
    const { changes } = collected(watch);
    const last = () => {
      const change = changes.at(-1);
      return change !== undefined && 'standings' in change ? brief(change.standings) : [];
    };
    const reads = () => asked.flatMap(({ buyer }) => buyer ?? []);
    await pass(500);
    expect(changes).toHaveLength(1);
    expect(last()).toEqual(['buyer-1 unknown not_read', 'buyer-2 no_bid']);
    await pass(5_000);
    expect(last()).toEqual(['buyer-1 leading', 'buyer-2 no_bid']);
    expect(changes.at(-1)).toMatchObject({ fields: [], changedStandings: [{ derived: false }] });
    expect(reads()).toEqual(['buyer-1']);
    // The store's own accepted bid.
    await world.bid(platform, lot.id, 'buyer-2', start + 5_000);
    await pass(12_000);
    expect(last()).toContain('buyer-2 leading');
    expect(reads()).toEqual(['buyer-1', 'buyer-2']);
    // A rival's is seen after a quarter of the time to the close.
    await world.bid(rival, lot.id, 'other-1', start + 10_000);
    const closesAt = Date.parse((await read(world, lot.id)).effective_close_at ?? '');
    sandbox.clock.advanceTo(closesAt - 120_000);
    await pass(10_000);
    expect(last()).toEqual(['buyer-1 outbid', 'buyer-2 outbid']);
    const before = reads().length;
    await pass(60_000);
    const nearby = reads().length - before;
    expect(nearby).toBeGreaterThanOrEqual(4);
    expect(nearby).toBeLessThanOrEqual(12);
  });
});

describe('standings in a watch over seeded situations', () => {
  it.each(sampled([1, 2, 3], 3))('end as the service states them, seed %i', async (seed) => {
    await using world = await stage(6, 6);
    const { platform, rival, pass, sandbox } = world;
    const random = numbersFrom(seed);
    const next = (below: number) => Math.floor(random() * below);
    const buyers = ['buyer-1', 'buyer-2', 'buyer-3', 'buyer-4'];
    const lots = [...world.lots('open'), ...world.lots('closed')];
    const { changes } = collected(platform.lots.watch(lots, { buyers }));
    const tops = new Map<string, number>();
    for (let event = 0; event < 60; event += 1) {
      const lot = lots[next(lots.length)];
      if (lot === undefined) throw new Error('no lot');
      const top = (tops.get(lot.id) ?? -1) + 1;
      const isMine = next(3) > 0;
      const amount = Number(lot.startingPrice) + top * 5_000;
      const buyer = isMine ? (buyers[next(buyers.length)] ?? '') : 'other-1';
      await world.bid(isMine ? platform : rival, lot.id, buyer, amount);
      tops.set(lot.id, top);
      await pass(next(20) * 1_000);
    }
    const closesAt = Date.parse((await read(world, lots[0]?.id ?? '')).effective_close_at ?? '');
    sandbox.clock.advanceTo(closesAt - 120_000);
    await pass(60_000);
    const shown = new Map<string, string>();
    for (const change of changes) {
      if (!('standings' in change)) continue;
      for (const { lot, bidderReference, standing, ownAmount, doubts } of change.standings) {
        shown.set(`${lot} ${bidderReference}`, [standing, ownAmount, ...doubts].join(' '));
      }
    }
    const truth = new Map<string, string>();
    for (const buyer of buyers) {
      const lot_ids = lots.map(({ id }) => id);
      const batch = platform.lots.statusBatch({ lot_ids, bidder_reference: buyer });
      await pass(3_000);
      for (const { lot_id, data } of await batch) {
        truth.set(`${lot_id} ${buyer}`, [data?.own_standing, data?.own_amount].join(' '));
      }
    }
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(truth));
    expect([...truth.values()].filter((each) => each.startsWith('outbid')).length).toBeGreaterThan(5);
  });
});

async function read({ platform, pass }: Awaited<ReturnType<typeof stage>>, lot: string) {
  const status = platform.lots.status(lot);
  await pass(1_000);
  return status;
}

/** Standings that are hidden for these buyers on every lot. The amounts are the store's. */
class HiddenSource implements StandingsSource {
  readonly amounts = new Map<string, string>();

  readonly derive: StandingsSource['derive'] = async (lots, buyers) => {
    const found = new Map<string, LotStandings>();
    for (const { status } of lots) {
      const standings = buyers.map((bidderReference): Standing => {
        const ownAmount = this.amounts.get(bidderReference) ?? null;
        const common = {
          lot: status.lot_id,
          bidderReference,
          ownAmount,
          highestAmount: undefined,
          doubts: [],
        };
        return { ...common, derived: true, standing: ownAmount === null ? 'no_bid' : undefined };
      });
      found.set(status.lot_id, { basis: JSON.stringify([...this.amounts]), standings });
    }
    return found;
  };
}

function hiddenStage(count: number, bidders: readonly string[], closesInMs = 24 * 3_600_000) {
  const lots = new Lots(count, closesInMs);
  const source = new HiddenSource();
  for (const buyer of bidders) source.amounts.set(buyer, '5000.00');
  const { pace } = testPace(lots.clock);
  const parts = watchParts(lots, pace, source);
  const start = (options: WatchOptions) => {
    const watch = new LotWatch(parts, lots.ids, options);
    return { watch, ...collected(watch) };
  };
  const reads = () => lots.asked.filter(({ buyer }) => buyer !== undefined);
  return { lots, source, start, reads, parts };
}

describe('reads of standings that are hidden', () => {
  it('go out in the poll lane, at most every second poll, each buyer once for a hundred lots', async () => {
    const buyers = Array.from({ length: 40 }, (_, n) => `buyer-${n}`);
    const { lots, start, reads } = hiddenStage(150, buyers);
    start({ buyers });
    await lots.clock.advance(60_000);
    const first = reads().length;
    expect(first).toBeGreaterThan(15);
    expect(first).toBeLessThanOrEqual(30);
    await lots.clock.advance(240_000);
    const read = new Map(buyers.map((buyer) => [buyer, new Set<string>()]));
    for (const { buyer, lots: ids } of reads()) for (const id of ids) read.get(String(buyer))?.add(id);
    expect([...read.values()].map(({ size }) => size)).toEqual(buyers.map(() => 150));
    expect(reads()).toHaveLength(80);
    expect(lots.asked.every(({ lane }) => lane === 'poll')).toBe(true);
    // Also where no lot is due.
    const quiet = hiddenStage(1, buyers);
    quiet.start({ buyers, every: Number.POSITIVE_INFINITY });
    await quiet.lots.clock.advance(60_000);
    expect(Math.abs(quiet.reads().length - 30)).toBeLessThanOrEqual(1);
  });

  it('do not keep lots near their close from being read every second', async () => {
    const buyers = Array.from({ length: 200 }, (_, n) => `buyer-${n}`);
    const { lots, start, reads } = hiddenStage(50, buyers, 61_000);
    start({ buyers });
    await lots.clock.advance(1_000);
    await lots.clock.advance(60_000);
    expect(lots.asked.length - reads().length).toBeGreaterThanOrEqual(45);
    expect(reads().length).toBeGreaterThanOrEqual(10);
  });

  it('are shared by the watches of a client, which all yield what one has read', async () => {
    const { lots, start, reads } = hiddenStage(1, ['buyer-1']);
    lots.change('lot_0', { own_standing: 'leading', own_amount: '5000.00' });
    const all = [1, 2, 3].map(() => start({ buyers: ['buyer-1'] }));
    await lots.clock.advance(30_000);
    expect(reads()).toHaveLength(1);
    for (const { changes } of all) {
      expect(changes.at(-1)).toMatchObject({
        standings: [{ standing: 'leading', derived: false, doubts: [] }],
      });
    }
  });

  it.each([
    ['its statuses', 1],
    ['standings', 2],
  ])('of a watch that ends while it reads %s go on in the others', async (_, number) => {
    const { lots, parts } = hiddenStage(1, ['buyer-1']);
    lots.change('lot_0', { own_standing: 'leading', own_amount: '5000.00' });
    const ended = new AbortController();
    const { read } = parts;
    const hanging: WatchParts = {
      ...parts,
      read: (...request) => {
        const reply = read(...request);
        // This read never ends by itself.
        return lots.asked.length === number
          ? unlessAborted(new Promise<never>(() => undefined), request[1].signal)
          : reply;
      },
    };
    const ending = new LotWatch(hanging, [], { buyers: ['buyer-1'], signal: ended.signal });
    const other = new LotWatch(parts, [], { buyers: ['buyer-1'], every: Number.POSITIVE_INFINITY });
    collected(ending);
    const { changes } = collected(other);
    await lots.clock.advance(1_000);
    // The first one reads the statuses, and the other one the standings.
    for (const watch of number === 1 ? [ending, other] : [other, ending]) watch.add(lots.ids);
    await lots.clock.advance(5_000);
    ended.abort();
    await lots.clock.advance(5_000);
    expect(changes.at(-1)).toMatchObject({
      standings: [{ standing: 'leading', derived: false, doubts: [] }],
    });
  });

  it('leave a buyer uncertain whom the service refuses, and go on with the others', async () => {
    const { lots, start, reads } = hiddenStage(1, ['buyer-1', 'buyer-2']);
    lots.change('lot_0', { own_standing: 'outbid', own_amount: '5000.00' });
    lots.refuse = () => (lots.asked.at(-1)?.buyer === 'buyer-1' ? apiError(422) : undefined);
    const { changes } = start({ buyers: ['buyer-1', 'buyer-2'] });
    await lots.clock.advance(30_000);
    expect(changes.at(-1)).toMatchObject({
      standings: [
        { standing: undefined, doubts: ['unavailable'] },
        { standing: 'outbid', doubts: [] },
      ],
    });
    expect(reads()).toHaveLength(2);
  });

  it('are repeated after an outage, and show as not read once the buyer has bid again', async () => {
    const { lots, start, reads, source } = hiddenStage(1, ['buyer-1']);
    lots.change('lot_0', { own_standing: 'leading', own_amount: '5000.00' });
    lots.refuse = () => (lots.asked.length === 2 ? brokenLine() : undefined);
    const { changes } = start({ buyers: ['buyer-1'] });
    await lots.clock.advance(30_000);
    expect(changes.map(({ type }) => type)).toEqual(['snapshot', 'outage', 'resumed', 'changed']);
    expect(reads()).toHaveLength(2);
    source.amounts.set('buyer-1', '9000.00');
    lots.change('lot_0', { own_amount: '9000.00', own_standing: 'leading' });
    await lots.clock.advance(10_000);
    const shown = changes.slice(4).flatMap((each) => ('standings' in each ? each.standings : []));
    expect(shown.map(({ standing, ownAmount, doubts }) => [standing, ownAmount, ...doubts])).toEqual([
      ['leading', '9000.00', 'not_read'],
      ['leading', '9000.00'],
    ]);
  });
});

it('A consumer that reads slowly gets one change, with the standings that differ from those it has seen', async () => {
  const { lots, source, parts } = hiddenStage(1, []);
  const slow = new LotWatch(parts, lots.ids, { buyers: ['buyer-1', 'buyer-2'] });
  const iterator = slow[Symbol.asyncIterator]();
  const first = iterator.next();
  await lots.clock.advance(5_000);
  expect(await first).toMatchObject({ value: { type: 'snapshot' } });
  lots.change('lot_0', { highest_amount: '1.00' });
  await lots.clock.advance(6_000);
  source.amounts.set('buyer-2', '5000.00');
  lots.change('lot_0', { own_standing: 'leading', own_amount: '5000.00' });
  await lots.clock.advance(30_000);
  expect(await iterator.next()).toMatchObject({
    value: {
      before: { highest_amount: null },
      after: { highest_amount: '1.00' },
      changedStandings: [{ bidderReference: 'buyer-2', standing: 'leading' }],
    },
  });
  await iterator.return?.();
});

it('Buyers are refused where they are no list of references, and for a direct dealer', () => {
  const { parts, lots } = hiddenStage(1, []);
  for (const buyers of ['buyer-1', [''], [7], 5] as unknown as string[][]) {
    const error = thrownBy(() => new LotWatch(parts, lots.ids, { buyers }));
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'options.buyers' }] });
  }
  const direct = watchParts(lots, parts.pace);
  expect(thrownBy(() => new LotWatch(direct, lots.ids, { buyers: ['buyer-1'] }))).toMatchObject({
    name: 'InvalidRequestError',
    issues: [{ path: 'options.buyers', message: expect.stringContaining('direct dealer') }],
  });
});
