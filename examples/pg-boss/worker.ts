import pg from 'pg';
import { BankClient, PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { workOnApprovals } from './approvals.js';
import { workOnBids } from './bids.js';
import { openQueue } from './queue.js';
import { connectionString, dealerId, environment, quota } from './settings.js';

/** One worker: `worker.ts bids` or `worker.ts approvals`. Start as many as you like, on as many machines. */
const role = process.argv[2];
if (role !== 'bids' && role !== 'approvals') throw new Error('worker.ts bids|approvals');

const pool = new pg.Pool({ connectionString, max: 10 });
pool.on('error', (error) => console.error(error.message));
const boss = await openQueue(connectionString);
// One store, so one record of every bid and decision, and one quota, for all workers.
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

/** A deployment stops workers by SIGTERM: jobs at work are finished, for half a minute at most. */
process.once('SIGTERM', async () => {
  await boss.stop({ timeout: 30_000 });
  await client.close();
  await pool.end();
});
