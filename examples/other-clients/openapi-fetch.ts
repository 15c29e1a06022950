import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
import { credentials, dealerId, origin } from './settings.js';
import { signedFetch } from './signed-fetch.js';

const client = createClient<paths>({ baseUrl: origin, fetch: signedFetch(credentials) });

async function main(): Promise<void> {
  const events = await client.GET('/api/v1/events', { params: { query: { status: 'live', per_page: 100 } } });
  const event = events.data?.data.find(({ bid_type }) => bid_type === 'open');
  if (event === undefined) throw new Error(`No open auction is live: HTTP ${events.response.status}`);
  const lots = await client.GET('/api/v1/events/{event}/lots', { params: { path: { event: event.id } } });
  const lot = lots.data?.data.find(({ highest_amount }) => highest_amount === null);
  if (lot === undefined) throw new Error(`No lot is without a bid: HTTP ${lots.response.status}`);

  // Store the key before you bid. If no reply arrives, send the same body again under the same key.
  const key = randomUUID();
  const { data, error } = await client.POST('/api/v1/lots/{lot}/bids', {
    params: { path: { lot: lot.id }, header: { 'Idempotency-Key': key } },
    body: { dealer_id: dealerId, amount: lot.starting_price, idempotency_key: key },
  });
  if (error !== undefined) throw new Error(`Not accepted: ${JSON.stringify(error)}`);
  const status: 'accepted' = data.data.status;
  console.log(`${data.data.bid_id} is ${status}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
