const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const {
  BidRejectedError,
  ConfigurationError,
  PartnerClient,
  responseOf,
  StoreError,
} = require('vehicle-auction-sdk');
const { readBids } = require('vehicle-auction-sdk/csv');
const { postgresStore } = require('vehicle-auction-sdk/postgres');
const { startSandbox } = require('vehicle-auction-sdk/sandbox');
const { sqliteStore } = require('vehicle-auction-sdk/sqlite');
const { storeConformance } = require('vehicle-auction-sdk/testing');
const {
  ConfigurationError: FromWebhooks,
  signDelivery,
  verifyWebhook,
} = require('vehicle-auction-sdk/webhooks');

/** Behind a front controller, for a platform's buyer. */
async function liveADay() {
  // Versions of these that CommonJS can't load everywhere are carried inside, so nothing may ask for them.
  const loaded = Object.keys(require.cache ?? {}).filter((path) =>
    /node_modules[\\/](uuid|@noble)[\\/]/.test(path),
  );
  if (loaded.length > 0) throw new Error(`loaded from node_modules: ${loaded.join(', ')}`);

  const sandbox = await startSandbox({ prefix: '/index.php' });
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.platform,
    partnerType: 'platform',
    dealerId: sandbox.credentials.platform.dealerId,
  });
  for (const finding of await auction.verify()) {
    if (finding.level === 'problem') throw new Error(`verify() finds a problem with ${finding.what}`);
  }

  const buyer = { bidder_reference: 'buyer-1' };
  const [event] = await auction.events.list().toArray({ limit: 1 });
  const [lot] = await auction.events.lots(event.id, buyer).toArray({ limit: 1 });
  const receipt = await auction.bids.submit(lot.id, { amount: lot.starting_price, ...buyer });
  if (receipt.status !== 'accepted' || responseOf(receipt).attempts !== 1)
    throw new Error('the bid was not accepted');
  const bid = await auction.bids.get(receipt.bid_id);
  if (bid.id !== receipt.bid_id || bid.status !== 'accepted') throw new Error('the bid was not read back');

  const off = await auction.bids.submit(lot.id, { amount: '1', ...buyer }).catch((error) => error);
  if (!(off instanceof BidRejectedError) || off.outcome !== 'rejected')
    throw new Error('a bad bid was not rejected');

  const rows = readBids([
    `row_id,lot_id,amount,bidder_reference\nr1,${lot.id},${lot.starting_price},buyer-1\n`,
  ]);
  const { counts } = await auction.bids.placeAll(rows, { batchId: 'b1' }).summary;
  if (counts.rejected !== 1) throw new Error('the second bid of the buyer was not judged');

  const delivery = signDelivery({
    body: { id: 'evt_1', type: 'a.new.type', schema_version: 1, data: {} },
    secret: 's',
  });
  const told = verifyWebhook(delivery.body, delivery.headers, { secrets: 's' });
  if (told.type !== 'a.new.type') throw new Error('the webhook was not read');
  if (FromWebhooks !== ConfigurationError) throw new Error('error classes differ between entries');

  // Optional packages are not installed here, and nothing asks for them before this.
  const postgres = postgresStore({ connectionString: 'postgres://127.0.0.1/bids' });
  const lacking = await postgres.transaction('sandbox', (tx) => tx.account.halt()).catch((error) => error);
  if (!(lacking instanceof ConfigurationError) || !lacking.message.includes('npm install pg'))
    throw new Error('the lack of pg was not reported');
  await checkSqlite();
  if (storeConformance(() => ({ open: () => postgres, pass: () => {} })).length < 20)
    throw new Error('the suite for stores lacks cases');

  await auction.close();
  await sandbox.close();
  console.log(`CJS: accepted and read back ${bid.id}`);
}

/** In the SQLite of the runtime; Node before 22.13 has none, and libsql is not installed here. */
async function checkSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'consumer-store-'));
  const store = sqliteStore(join(folder, 'auction.db'));
  const written = await store
    .transaction('sandbox', (tx) => tx.account.setHalt('lunch'))
    .catch((error) => error);
  const [major, minor] = process.versions.node.split('.').map(Number);
  const hasSqlite = major > 22 || (major === 22 && minor >= 13);
  if (hasSqlite && (await store.transaction('sandbox', (tx) => tx.account.halt())) !== 'lunch')
    throw new Error(`the store was not written: ${written}`);
  if (!hasSqlite && !(written instanceof StoreError && written.message.includes('npm install libsql')))
    throw new Error('the lack of libsql was not reported');
  await store.close();
  rmSync(folder, { recursive: true });
}

liveADay().catch((error) => {
  console.error(error);
  // The sandbox that is still open would keep the process alive.
  process.exit(1);
});
