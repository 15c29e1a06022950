import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BankClient, PartnerClient } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import type { Accounts, Route } from './http.js';
import { startPlatform } from './platform.js';

/** Limits for calls that a browser waits for: the client's own 90 seconds are for programs. */
const limits = { timeout: 8_000, deadline: 25_000 };

/** `--sandbox` runs it against the embedded sandbox; without, everything comes from the environment. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { sandbox: { type: 'boolean' } } });
  const end = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await (values.sandbox === true ? inSandbox(end) : inEarnest(end));
}

async function inEarnest(end: Promise<unknown>): Promise<void> {
  const folder = setting('PLATFORM_DATA');
  // VEHICLE_AUCTION_BASE_URL, _CLIENT_ID, _KEY_ID, _SIGNING_SECRET, _DEALER_ID: what the bank issued.
  await using auction = new PartnerClient({
    environment: 'production',
    partnerType: 'platform',
    ...recordIn(folder),
    ...limits,
  });
  for (const { level, what, expected, found, nextStep } of await auction.verify()) {
    if (level !== 'ok') console.warn(`${what}: expected ${expected}, found ${found}. ${nextStep}`);
  }
  await using platform = await startPlatform({
    auction,
    accounts: await accountsFrom(setting('PLATFORM_BUYERS')),
    storePath: join(folder, 'store.json'),
    linkSecret: process.env['PLATFORM_LINK_SECRET'],
    port: Number(process.env['PORT'] ?? 8080),
  });
  console.log(`Listening at ${platform.url}`);
  void platform.work();
  await end;
}

async function inSandbox(end: Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dealer-platform-'));
  try {
    await using sandbox = await startSandbox();
    const { baseUrl } = sandbox;
    const { dealerId, ...credentials } = sandbox.credentials.platform;
    await using auction = new PartnerClient({
      baseUrl,
      environment: 'sandbox',
      credentials,
      partnerType: 'platform',
      dealerId,
      ...recordIn(folder), // the sandbox forgets everything, too
      ...limits,
    });
    await using bank = new BankClient({
      baseUrl,
      environment: 'sandbox',
      credentials: sandbox.credentials.bank,
    });
    const accounts = await accountsFrom(new URL('buyers.json', import.meta.url));
    await using platform = await startPlatform({
      auction,
      accounts,
      storePath: join(folder, 'store.json'),
      port: Number(process.env['PORT'] ?? 8080),
      moreRoutes: [closeRoute(sandbox, bank, () => platform.round())],
    });
    console.log(introduction(platform.url, accounts, sandbox));
    void platform.work();
    await end;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bids and commands stay on record for a year: for so long a request id that comes again is the same request. */
function recordIn(folder: string) {
  return { store: sqliteStore(join(folder, 'auction.db')), retention: 365 * 86_400_000 };
}

/** The hand of the bank, for trying: closes an auction and approves its sales. There is nothing like it in earnest. */
function closeRoute(sandbox: Sandbox, bank: BankClient, afterwards: () => Promise<void>): Route {
  return {
    method: 'POST',
    path: '/sandbox/close/{auction}',
    operator: async ({ param }) => {
      const { id, status } = sandbox.auctions.get(param('auction'));
      if (status === 'live') sandbox.auctions.close(id);
      const approved: string[] = [];
      for (const sale of await bank.saleCases.list().toArray()) {
        if (sale.state === 'approved' || sale.data?.bid_id === undefined) continue;
        const decided = await bank.saleCases.decide(sale, {
          decision: 'approved',
          bid_id: sale.data.bid_id,
          reason: 'Highest bid',
          terms_version: 'T3',
          due_at: new Date(sandbox.clock.now() + 7 * 86_400_000).toISOString(),
          payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
        });
        approved.push(decided.id);
      }
      await afterwards();
      return { status: 200, json: { approved } };
    },
  };
}

function introduction(url: string, { operator, buyers }: Accounts, sandbox: Sandbox): string {
  const [asha, ravi] = buyers.map(({ token }) => `curl -H 'Authorization: Bearer ${token}'`);
  const { id, lots } = sandbox.auctions.get('live-open');
  const [lot] = lots;
  const bid = JSON.stringify({ request_id: 'click-1', amount: lot?.startingPrice });
  return `Listening at ${url}, in front of the sandbox at ${sandbox.baseUrl}. Ctrl+C ends both.

  ${asha} ${url}/auctions
  ${asha} ${url}/auctions/${id}/lots/${lot?.id}
  ${asha} ${url}/lots/${lot?.id}/bids -d '${bid}'

Repeat the last one: it stays one bid. Then let the bank close the auction, and see who hears of what:

  curl -X POST -H 'Authorization: Bearer ${operator}' ${url}/sandbox/close/${id}
  ${asha} ${url}/inbox
  ${asha} ${url}/sales
  ${ravi} ${url}/sales
`;
}

async function accountsFrom(path: string | URL): Promise<Accounts> {
  return JSON.parse(await readFile(path, 'utf8')) as Accounts;
}

function setting(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`Set ${name}; README.md says what it is`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
