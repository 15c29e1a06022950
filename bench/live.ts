import { randomUUID } from 'node:crypto';
import {
  fetchTransport,
  type LotChange,
  memoryStore,
  PartnerClient,
  type QuotaOptions,
} from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { median } from './measure.js';

// Watches in virtual time against the sandbox in this process: the same figures on every machine, except for CPU.

const MINUTE_MS = 60_000;
/** Virtual time moves in steps of this length, ms. */
const STEP_MS = 50;

interface Bidding {
  readonly client: PartnerClient<'platform'>;
  readonly lot: { readonly id: string; readonly startingPrice: string };
  readonly buyer: string;
  /** Increments above the starting price. */
  readonly steps: number;
}

/** A platform that watches with the usual quota, its own bids through another client of its store, and a rival. */
class Market {
  readonly #sandbox: Awaited<ReturnType<typeof startSandbox>>;
  #onTheWay = 0;
  /** Requests of the watching client: their time, and the buyer whose standings they read. */
  readonly reads: { readonly at: number; readonly buyer: string | undefined }[] = [];
  readonly watching: PartnerClient<'platform'>;
  readonly bidding: PartnerClient<'platform'>;
  readonly rival: PartnerClient<'platform'>;

  private constructor(sandbox: Awaited<ReturnType<typeof startSandbox>>) {
    this.#sandbox = sandbox;
    const store = memoryStore();
    const unlimited = { limit: Number.POSITIVE_INFINITY };
    this.watching = this.#client('platform', {}, store, true);
    this.bidding = this.#client('platform', unlimited, store);
    this.rival = this.#client('aggregator', unlimited, memoryStore());
  }

  static async open(open: number, closed: number): Promise<Market> {
    const auction = { increment: '5000', opens: -10, closes: 600 };
    const sandbox = await startSandbox({
      clock: 'manual',
      rateLimit: false,
      listen: false,
      seed: {
        random: 1,
        auctions: [
          { ...auction, label: 'open', name: 'Open', bid_type: 'open', lots: open },
          ...(closed === 0
            ? []
            : [{ ...auction, label: 'closed', name: 'Closed', bid_type: 'closed', lots: closed } as const]),
        ],
      },
    });
    return new Market(sandbox);
  }

  lots(label: 'open' | 'closed') {
    return this.#sandbox.auctions.get(label).lots;
  }

  get now(): number {
    return this.#sandbox.clock.monotonic();
  }

  #client(
    who: 'platform' | 'aggregator',
    quota: QuotaOptions,
    store: ReturnType<typeof memoryStore>,
    isCounted = false,
  ): PartnerClient<'platform'> {
    const { baseUrl, clock, credentials } = this.#sandbox;
    const { dealerId = '', ...own } = credentials[who];
    return new PartnerClient({
      baseUrl,
      environment: 'sandbox',
      credentials: own,
      partnerType: 'platform',
      dealerId,
      clock,
      transport: fetchTransport(async (input, init) => {
        if (isCounted) this.reads.push({ at: this.now, buyer: buyerIn(init?.body) });
        this.#onTheWay += 1;
        try {
          return await this.#sandbox.fetch(input, init);
        } finally {
          this.#onTheWay -= 1;
        }
      }),
      randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
      quota: { scope: 'client', ...quota },
      store,
      logLevel: 'off',
    });
  }

  /** Lets time pass, or only until something holds. */
  async pass(ms: number, until: () => boolean = () => false): Promise<void> {
    const end = this.now + ms;
    while (this.now < end && !until()) {
      if (this.#onTheWay === 0) this.#sandbox.clock.advance(STEP_MS);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async bid({ client, lot, buyer, steps }: Bidding): Promise<void> {
    const amount = String(Number(lot.startingPrice) + steps * 5_000);
    let isAccepted = false;
    const sent = client.bids.submit(lot.id, { amount, bidder_reference: buyer }).then(() => {
      isAccepted = true;
    });
    await Promise.race([sent, this.pass(MINUTE_MS, () => isAccepted)]);
  }

  /** The most requests of the watching client in any minute since a time. */
  mostPerMinute(since: number): number {
    const times = this.reads.flatMap(({ at }) => (at >= since ? [at] : []));
    return Math.max(
      0,
      ...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length),
    );
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
  }
}

function buyerIn(body: unknown): string | undefined {
  if (!(body instanceof Uint8Array)) return undefined;
  return Object(JSON.parse(new TextDecoder().decode(body))).bidder_reference;
}

/** Collects the changes of a watch with their time. */
function collect(market: Market, watch: AsyncIterable<LotChange>) {
  const changes: { readonly at: number; readonly change: LotChange }[] = [];
  void (async () => {
    for await (const change of watch) changes.push({ at: market.now, change });
  })();
  return changes;
}

/** How long a rival's bid is not seen, on 100 live lots with an idle quota, and what that costs. */
export async function rivalBids(rounds: number) {
  const market = await Market.open(100, 0);
  try {
    const lots = market.lots('open');
    const changes = collect(market, market.watching.lots.watch(lots));
    await market.pass(10_000);
    const from = market.now;
    const waits: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const lot = lots[round % lots.length];
      if (lot === undefined) break;
      const seen = changes.length;
      await market.bid({ client: market.rival, lot, buyer: 'other', steps: Math.floor(round / lots.length) });
      const placedAt = market.now;
      await market.pass(MINUTE_MS, () => changes.length > seen);
      waits.push((changes.at(-1)?.at ?? Number.NaN) - placedAt);
      // Lots that changed are read more often for a minute, which must not help the next one.
      await market.pass(61_000 + ((round * 1_850) % 5_000));
    }
    return { median: median(waits), longest: Math.max(...waits), perMinute: market.mostPerMinute(from) };
  } finally {
    await market.close();
  }
}

/** The first sweep over 1,000 lots with the standings of 400 buyers, and the minutes after it. */
export async function sweepOfBuyers(minutes: number) {
  const market = await Market.open(980, 20);
  try {
    const [open, closed] = [market.lots('open'), market.lots('closed')];
    const buyers = Array.from({ length: 400 }, (_, n) => `buyer-${n}`);
    for (const [n, buyer] of buyers.entries()) {
      const lot = n < 40 ? closed[n % closed.length] : open[n];
      if (lot !== undefined) await market.bid({ client: market.bidding, lot, buyer, steps: n < 40 ? n : 0 });
    }
    const from = market.now;
    const changes = collect(market, market.watching.lots.watch([...open, ...closed], { buyers }));
    const snapshots = () => changes.filter(({ change }) => change.type === 'snapshot');
    await market.pass(MINUTE_MS, () => snapshots().length === 1_000);
    const sweep = market.now - from;
    const sweepRequests = market.reads.filter(({ buyer }) => buyer === undefined).length;
    const cpu = process.cpuUsage();
    await market.pass(minutes * MINUTE_MS);
    const { user, system } = process.cpuUsage(cpu);
    const last = new Map(
      changes.flatMap(({ change }) => ('standings' in change ? [[change.lot, change]] : [])),
    );
    const standings = [...last.values()].flatMap((change) => change.standings);
    return {
      sweep,
      sweepRequests,
      perMinute: market.mostPerMinute(from),
      standings: standings.length,
      derived: standings.filter(({ derived }) => derived).length,
      doubtful: standings.filter(({ doubts }) => doubts.length > 0).length,
      cpuPerMinute: (user + system) / 1_000 / minutes,
    };
  } finally {
    await market.close();
  }
}
