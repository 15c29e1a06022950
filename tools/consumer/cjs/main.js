const { BidRejectedError, ConfigurationError, PartnerClient, responseOf } = require('vehicle-auction-sdk');
const { startSandbox } = require('vehicle-auction-sdk/sandbox');
const {
  ConfigurationError: FromWebhooks,
  signDelivery,
  verifyWebhook,
} = require('vehicle-auction-sdk/webhooks');

(async () => {
  // Versions of these that CommonJS can't load everywhere are carried inside, so nothing may ask for them.
  const loaded = Object.keys(require.cache).filter((path) =>
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
  const [event] = await auction.events.list().toArray({ limit: 1 });
  const [lot] = await auction.events.lots(event.id, { bidder_reference: 'buyer-1' }).toArray({ limit: 1 });
  const receipt = await auction.bids.submit(lot.id, {
    amount: lot.starting_price,
    bidder_reference: 'buyer-1',
  });
  if (receipt.status !== 'accepted' || responseOf(receipt).attempts !== 1)
    throw new Error('the bid was not accepted');

  const off = await auction.bids
    .submit(lot.id, { amount: '1', bidder_reference: 'buyer-1' })
    .catch((error) => error);
  if (!(off instanceof BidRejectedError) || off.outcome !== 'rejected')
    throw new Error('a bad bid was not rejected');

  const delivery = signDelivery({
    body: { id: 'evt_1', type: 'a.new.type', schema_version: 1, data: {} },
    secret: 's',
  });
  const event1 = verifyWebhook(delivery.body, delivery.headers, { secrets: 's' });
  if (event1.type !== 'a.new.type') throw new Error('the webhook was not read');
  if (FromWebhooks !== ConfigurationError) throw new Error('error classes differ between entries');

  await auction.close();
  await sandbox.close();
  console.log(`CJS, behind a front controller, for a platform's buyer: first accepted bid ${receipt.bid_id}`);
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
