import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PartnerClient } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { type Buyer, startPlatform } from '../../examples/dealer-platform/server.js';

/**
 * The dealer platform of the examples with 40 buyers, over an auction of 30 lots in a sandbox.
 *
 * @param options photos of each lot, and requests a minute
 */
export async function platformStage({
  photos,
  limit,
}: {
  readonly photos?: number;
  readonly limit?: number;
} = {}) {
  const common = { increment: '5000', opens: -10, closes: 60 };
  const lots = photos === undefined ? 30 : Array.from({ length: 30 }, () => ({ photos }));
  const auctions = [
    { ...common, label: 'evening', name: 'Evening', bid_type: 'open' as const, lots },
    { ...common, label: 'sealed', name: 'Sealed', bid_type: 'closed' as const, lots: 2 },
  ];
  const perBuyer: unknown[] = [];
  const sandbox = await startSandbox({
    rateLimit: false,
    scan: 1,
    seed: { auctions },
    reply: ({ operation, request }, json) => {
      const { bidder_reference: buyer } = Object(request);
      if (operation === 'A11' && buyer !== undefined) perBuyer.push(buyer);
      return json;
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'dealer-platform-'));
  const logged: string[] = [];
  const buyers = new Map<string, Buyer>();
  for (let n = 1; n <= 40; n += 1) buyers.set(`token-${n}`, { reference: `buyer-${n}`, name: `Buyer ${n}` });

  // The opening price of 102500 costs 123973.75 in all.
  buyers.set('token-39', { reference: 'buyer-39', name: 'Buyer 39', budget: '123973.74' });
  buyers.set('token-40', { reference: 'buyer-40', name: 'Buyer 40', budget: '123973.75' });

  /** A process of the platform, on the disk of those before it. */
  async function start() {
    const { platform } = sandbox.credentials;
    const auction = new PartnerClient({
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      credentials: platform,
      partnerType: 'platform',
      dealerId: platform.dealerId,
      store: sqliteStore(join(folder, 'auction.db')),
      quota: limit === undefined ? {} : { limit },
      logLevel: 'off',
    });
    await auction.recover();
    const wins = join(folder, 'wins.jsonl');
    const charges = [
      { name: 'fee', percent: '2.5', round: 'up' },
      { name: 'tax', percent: '18', of: ['bid', 'fee'], round: 'up' },
    ] as const;
    return startPlatform({ auction, buyers, charges, wins, log: (line) => logged.push(line) });
  }

  const [lot] = sandbox.auctions.get('evening').lots;
  if (lot === undefined) throw new Error('no lot');
  return {
    sandbox,
    lot,
    logged,
    /** Buyers whose standings were asked for, one request each. */
    perBuyer,
    start,
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** How many requests of an operation the bank has had. */
export function requestsOf({ attempts }: Pick<Sandbox, 'attempts'>, operation: string): number {
  return attempts().filter((attempt) => attempt.operation === operation).length;
}

/** What a page is sent: everything so far, and what comes. */
export class LivePage {
  readonly events: { readonly [field: string]: unknown }[] = [];
  readonly #ended = new AbortController();
  readonly #listeners = new Set<() => void>();

  constructor(url: string, token: string) {
    void this.#read(url, token).catch(() => undefined);
  }

  async #read(url: string, token: string): Promise<void> {
    const reply = await fetch(`${url}/live`, {
      headers: { cookie: `token=${token}` },
      signal: this.#ended.signal,
    });
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of reply.body ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.events.push(JSON.parse(part.slice('data: '.length)));
      for (const listener of this.#listeners) listener();
    }
  }

  /** The first event of which this holds. */
  until(holds: (event: LivePage['events'][number]) => boolean): Promise<LivePage['events'][number]> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.events.find(holds);
        if (found === undefined) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }

  close(): void {
    this.#ended.abort();
  }
}
