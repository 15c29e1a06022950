import { expect, test } from 'vitest';
import { bid, eachTestHasASandbox, get, lotOf, sandbox } from './caller.js';

eachTestHasASandbox();

const summaryKeys = [
  ...['vehicle_details', 'images', 'documents', 'id', 'auction_id', 'title', 'category'],
  ...['starting_price', 'status', 'ends_at', 'public_fields'],
];
const standardKeys = [
  ...['registration_number', 'make', 'model', 'year', 'region', 'vehicle_type', 'yard', 'title'],
  ...['bank_reference', 'condition'],
];

// rule: catalogue.summaries
test('a summary as in the catalogue, without anybody’s standing and what the bank keeps to itself', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  const [listed] = (await get(sandbox, dealer, '/api/v1/lots')).json.data;
  const reply = await get(sandbox, dealer, `/api/v1/vehicles/${listed.id}`);
  expect([reply.status, Object.keys(reply.json)]).toEqual([200, ['data']]);
  const { data } = reply.json;
  expect(Object.keys(data).sort()).toEqual([...summaryKeys].sort());
  expect(Object.keys(data.vehicle_details).sort()).toEqual([...standardKeys].sort());
  const { vehicle_details, ...rest } = data;
  const { vehicle_details: details, ...catalogue } = listed;
  expect(rest).toEqual(catalogue);
  for (const key of standardKeys) expect(vehicle_details[key], key).toEqual(details[key]);
  // The catalogue and the event lot have the bank's labels.
  expect(details).toHaveProperty(['Chassis Number']);
  const path = `/api/v1/events/${listed.auction_id}/lots/${listed.id}`;
  expect((await get(sandbox, dealer, path)).json.data.vehicle_details).toEqual(details);
});

test.each([
  ['upcoming', 'upcoming'],
  ['live-open', 'live'],
  ['over-closed', 'over'],
])('of an auction that is %s', async (label, status) => {
  const { id } = lotOf(sandbox, label);
  const { data } = (await get(sandbox, sandbox.credentials.dealer, `/api/v1/vehicles/${id}`)).json;
  expect([data.id, data.auction_id, data.status]).toEqual([id, sandbox.auctions.get(label).id, status]);
});
