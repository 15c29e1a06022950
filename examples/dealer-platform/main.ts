import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Charge, diskCache, PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { type Buyer, startPlatform } from './server.js';

const { DATABASE_URL: connectionString, PLATFORM_BUYERS: file, PORT = '8080' } = process.env;
const { PLATFORM_CHARGES: rates } = process.env;
const sandbox = process.argv.includes('--sandbox') ? await startSandbox() : undefined;
const folder = sandbox ? await mkdtemp(join(tmpdir(), 'dealer-platform-')) : '.';

const auction = new PartnerClient({
  partnerType: 'platform',
  // One setting chooses the store: a file for one machine, Postgres for several.
  store: connectionString ? postgresStore({ connectionString }) : sqliteStore(join(folder, 'auction.db')),
  environment: sandbox ? 'sandbox' : 'production',
  // Without the sandbox, the client reads VEHICLE_AUCTION_BASE_URL, _CLIENT_ID, _KEY_ID, _SIGNING_SECRET and
  // _DEALER_ID.
  baseUrl: sandbox?.baseUrl,
  credentials: sandbox?.credentials.platform,
  dealerId: sandbox?.credentials.platform.dealerId,
});
for (const { level, what, nextStep } of await auction.verify())
  if (level !== 'ok') console.warn(what, nextStep);
await auction.recover();

const demo = Array.from({ length: 40 }, (_, n) => [
  `demo-${n + 1}`,
  { reference: `buyer-${n + 1}`, name: `Buyer ${n + 1}` },
]);
const buyers = new Map<string, Buyer>(JSON.parse(file ? await readFile(file, 'utf8') : JSON.stringify(demo)));
// Sample rates. Each charge is rounded up, so that the page never promises too little.
const sample: readonly Charge[] = [
  { name: 'fee', percent: '2.5', round: 'up' },
  { name: 'GST on the fee', percent: '18', of: ['fee'], round: 'up' },
  { name: 'TCS', percent: '1', above: '1000000', round: 'up' },
];
const platform = await startPlatform({
  charges: rates ? JSON.parse(await readFile(rates, 'utf8')) : sample,
  auction,
  buyers,
  photos: diskCache(join(folder, 'photos'), { maxBytes: 2_000_000_000 }),
  wins: join(folder, 'wins.jsonl'),
  port: Number(PORT),
});
console.log(`Open ${platform.url}/login/${[...buyers.keys()][0]}`);
sandbox?.actors.rival.follow({ auction: 'live-open', opens: true });

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await platform.close();
await sandbox?.close();
