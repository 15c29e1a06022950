import pg from 'pg';
import { BankClient, PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { workOnApprovals } from './approvals.js';
import { workOnBids } from './bids.js';
import { openQueue } from './queue.js';
import { connectionString, dealerId, environment, quota } from './settings.js';

/** A worker: `worker.ts bids` or `worker.ts approvals`. You can start any number on any number of machines. */
const role = process.argv[2];
if (role !== 'bids' && role !== 'approvals') {
  console.error('Usage: worker.ts bids|approvals');
  process.exit(2);
}
if (role === 'bids' && !dealerId) {
  console.error('Set VEHICLE_AUCTION_DEALER_ID in the environment.');
  process.exit(2);
}

const pool = new pg.Pool({ connectionString, max: 10 });
pool.on('error', (error) => console.error(error.message));
const boss = await openQueue(connectionString);
// All workers share one store, and with it the record of bids and decisions and the quota.
const common = { environment, store: postgresStore({ pool }), account: role, quota } as const;
const client = role === 'bids' ? await startOnBids() : await startOnApprovals();
console.log('ready');

async function startOnBids(): Promise<PartnerClient<'aggregator'>> {
  const auction = new PartnerClient({ ...common, partnerType: 'aggregator', dealerId });
  await auction.recover(); // looks up what a worker that died left in doubt
  await workOnBids(boss, auction);
  return auction;
}

async function startOnApprovals(): Promise<BankClient> {
  const bank = new BankClient(common);
  await bank.recover({ resend: true });
  await workOnApprovals(boss, bank);
  return bank;
}

/** On SIGTERM, finish running jobs for up to half a minute. */
process.once('SIGTERM', async () => {
  await boss.stop({ timeout: 30_000 });
  await client.close();
  await pool.end();
});
