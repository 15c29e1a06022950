import { randomUUID } from 'node:crypto';
import { client } from './client/client.gen.js';
import { bidsSubmit, eventsList, eventsLots } from './client/sdk.gen.js';
import { credentials, dealerId, origin } from './settings.js';
import { signedFetch } from './signed-fetch.js';

client.setConfig({ baseUrl: origin, fetch: signedFetch(credentials) });

async function main(): Promise<void> {
  const events = await eventsList({ query: { status: 'live', per_page: 100 }, throwOnError: true });
  const event = events.data.data.find(({ bid_type }) => bid_type === 'open');
  if (event === undefined) throw new Error('No open auction is live');
  const lots = await eventsLots({ path: { event: event.id }, throwOnError: true });
  const lot = lots.data.data.find(({ highest_amount }) => highest_amount === null);
  if (lot === undefined) throw new Error('No lot is without a bid');

  // Store the key before you bid. If no reply arrives, send the same body again under the same key.
  const key = randomUUID();
  const { data } = await bidsSubmit({
    path: { lot: lot.id },
    headers: { 'Idempotency-Key': key },
    body: { dealer_id: dealerId, amount: lot.starting_price, idempotency_key: key },
    throwOnError: true,
  });
  const status: 'accepted' = data.data.status;
  console.log(`${data.data.bid_id} is ${status}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
