const { BidRejectedError, ConfigurationError, PartnerClient, responseOf } = require('vehicle-auction-sdk');
const { postgresJournal } = require('vehicle-auction-sdk/postgres');
const { startSandbox } = require('vehicle-auction-sdk/sandbox');
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

  const delivery = signDelivery({
    body: { id: 'evt_1', type: 'a.new.type', schema_version: 1, data: {} },
    secret: 's',
  });
  const told = verifyWebhook(delivery.body, delivery.headers, { secrets: 's' });
  if (told.type !== 'a.new.type') throw new Error('the webhook was not read');
  if (FromWebhooks !== ConfigurationError) throw new Error('error classes differ between entries');

  // The optional package is not there, and is asked for by nobody before this.
  const journal = postgresJournal({ connectionString: 'postgres://127.0.0.1/bids' });
  const lacking = await journal.find('key').catch((error) => error);
  if (!(lacking instanceof ConfigurationError) || !lacking.message.includes('npm install pg'))
    throw new Error('the lack of pg was not told');

  await auction.close();
  await sandbox.close();
  console.log(`CJS: accepted and read back ${bid.id}`);
}

liveADay().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
