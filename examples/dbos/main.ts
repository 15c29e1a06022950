import { DBOS } from '@dbos-inc/dbos-sdk';
import { PartnerClient, readWinnerUpdate } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { registerSale } from './sale.js';

const { DATABASE_URL: connectionString, VEHICLE_AUCTION_DEALER_ID: dealerId } = process.env;
if (!connectionString || !dealerId) {
  console.error('Set DATABASE_URL and VEHICLE_AUCTION_DEALER_ID in the environment.');
  process.exit(2);
}

const auction = new PartnerClient({
  environment: process.env['VEHICLE_AUCTION_ENVIRONMENT'] === 'production' ? 'production' : 'sandbox',
  partnerType: 'platform',
  dealerId,
  store: postgresStore({ connectionString }),
});
await auction.verify();
await auction.recover({ resend: true });

const sale = registerSale(auction);
DBOS.setConfig({ name: 'sales', systemDatabaseUrl: connectionString, logLevel: 'warn' });
await DBOS.launch(); // resumes what an earlier process of this version left

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

// Every approval starts a workflow. After a crash an update may be repeated; its workflow already exists.
await auction.winnerUpdates.follow({
  name: 'sales',
  signal: stop.signal,
  async handle(update) {
    const { saleId } = readWinnerUpdate(update).data;
    if (saleId === undefined) return console.error('a winner update without a sale', update);
    await DBOS.startWorkflow(sale, { workflowID: saleId })(saleId);
  },
});
await DBOS.shutdown();
await auction.close();
