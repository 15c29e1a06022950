// A process that does what it is told at once, with a client for each order, and reports what became of it.
import { BankClient, PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const { baseUrl, dealer, bank, store } = JSON.parse(process.argv[2] ?? '{}');

const common = {
  baseUrl,
  environment: 'sandbox',
  store: store.file === undefined ? postgresStore({ connectionString: store.url }) : sqliteStore(store.file),
  quota: { limit: Number.POSITIVE_INFINITY },
  logLevel: 'off',
};

process.on('message', async (order) => {
  const client = order.kind === 'vehicle' ? bankClient() : dealerClient();
  const reported = await perform(client, order).catch((error) => error);
  await client.close();
  const { status, name, reason, message, id } = reported;
  process.send?.({ status, name, reason, message, id });
});
process.send?.('ready');

function perform(client, { kind, lot, amount, key, name, schemaVersion }) {
  if (kind === 'bid') return client.bids.place({ lot, amount }, { idempotencyKey: key });
  return client.runOnce(['create', name], (idempotencyKey) =>
    client.inventory.createVehicle(
      {
        title: name,
        external_id: `${name}.${process.hrtime.bigint()}`,
        schema_version: schemaVersion,
        values: {},
      },
      { idempotencyKey },
    ),
  );
}

function dealerClient() {
  const { clientId, keyId, signingSecret, dealerId } = dealer;
  const credentials = { clientId, keyId, signingSecret };
  return new PartnerClient({
    ...common,
    credentials,
    account: 'dealer',
    partnerType: 'direct_dealer',
    dealerId,
  });
}

function bankClient() {
  const { clientId, keyId, signingSecret } = bank;
  return new BankClient({ ...common, credentials: { clientId, keyId, signingSecret }, account: 'bank' });
}
