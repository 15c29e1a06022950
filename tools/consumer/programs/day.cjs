const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Behind a front controller, for a platform's buyer, with no optional package installed. */
module.exports = async ({ sdk, csv, postgres, sandbox: { startSandbox }, sqlite, testing, webhooks }) => {
  checkMoney(sdk);
  const sandbox = await startSandbox({ prefix: '/index.php' });
  const { platform } = sandbox.credentials;
  const auction = new sdk.PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: platform,
    partnerType: 'platform',
    dealerId: platform.dealerId,
  });
  for (const { level, what } of await auction.verify())
    check(level !== 'problem', `verify() finds a problem with ${what}`);

  const buyer = { bidder_reference: 'buyer-1' };
  const [event] = await auction.events.list().toArray({ limit: 1 });
  const [lot] = await auction.events.lots(event.id, buyer).toArray({ limit: 1 });
  const receipt = await auction.bids.submit(lot.id, { amount: lot.starting_price, ...buyer });
  check(receipt.status === 'accepted' && sdk.responseOf(receipt).attempts === 1, 'the bid was not accepted');
  const bid = await auction.bids.get(receipt.bid_id);
  check(bid.id === receipt.bid_id && bid.status === 'accepted', 'the bid was not read back');
  const off = await auction.bids.submit(lot.id, { amount: '1', ...buyer }).catch((error) => error);
  check(off instanceof sdk.BidRejectedError && off.outcome === 'rejected', 'a bad bid was not rejected');

  const table = `row_id,lot_id,amount,bidder_reference\nr1,${lot.id},${lot.starting_price},buyer-1\n`;
  const { counts } = await auction.bids.placeAll(csv.readBids([table]), { batchId: 'b1' }).summary;
  check(counts.rejected === 1, 'the second bid of the buyer was not judged');

  const event1 = { id: 'evt_1', type: 'a.new.type', schema_version: 1, data: {} };
  const delivery = webhooks.signDelivery({ body: event1, secret: 's' });
  const { type } = webhooks.verifyWebhook(delivery.body, delivery.headers, { secrets: 's' });
  check(type === event1.type, 'the webhook was not read');
  check(webhooks.ConfigurationError === sdk.ConfigurationError, 'error classes differ between entries');

  // Optional packages are not installed here, and nothing asks for them before this.
  const store = postgres.postgresStore({ connectionString: 'postgres://127.0.0.1/bids' });
  const lacking = await store.transaction('sandbox', (tx) => tx.account.halt()).catch((error) => error);
  check(isLackOf(lacking, sdk.ConfigurationError, 'pg'), 'the lack of pg was not reported');
  await checkSqlite(sdk, sqlite);
  const cases = testing.storeConformance(() => ({ open: () => store, pass: () => {} }));
  check(cases.length >= 20, 'the suite for stores lacks cases');

  await auction.close();
  await sandbox.close();
  console.log(`accepted and read back ${bid.id}`);
};

/** big.js is loaded with the first percentage, from a bundle too. */
function checkMoney({ beforePercent, percentOf }) {
  check(percentOf('465000', '18') === '83700.00', 'percentOf is wrong');
  check(beforePercent('118', '18') === '100.00', 'beforePercent is wrong');
}

/** In the SQLite of the runtime; Node before 22.13 has none. */
async function checkSqlite({ StoreError }, { sqliteStore }) {
  const folder = mkdtempSync(join(tmpdir(), 'consumer-store-'));
  const store = sqliteStore(join(folder, 'auction.db'));
  const written = await store
    .transaction('sandbox', (tx) => tx.account.setHalt('lunch'))
    .catch((error) => error);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) {
    const read = await store.transaction('sandbox', (tx) => tx.account.halt());
    check(read === 'lunch', `the store was not written: ${written}`);
  } else {
    check(isLackOf(written, StoreError, 'libsql'), 'the lack of libsql was not reported');
  }
  await store.close();
  rmSync(folder, { recursive: true });
}

function isLackOf(error, type, name) {
  return error instanceof type && error.message.includes(`npm install ${name}`);
}

function check(holds, problem) {
  if (!holds) throw new Error(problem);
}
