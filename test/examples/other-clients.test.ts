import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { signedFetch } from '../../examples/other-clients/signed-fetch.js';
import { startSandbox } from '../../src/sandbox/index.js';

it('signedFetch signs a query that is not in canonical order, and the bytes of a body', async () => {
  await using sandbox = await startSandbox();
  const { dealer } = sandbox.credentials;
  const send = signedFetch(dealer);
  const events = await send(`${sandbox.baseUrl}/events?search=Sale+on*&per_page=2`);
  expect(events.status).toBe(200);
  expect(sandbox.attempts().at(-1)?.path).toMatch(/\/events\?per_page=2&search=Sale%20on%2A$/);

  const [lot] = sandbox.auctions.get('live-open').lots;
  const key = randomUUID();
  const body = { dealer_id: dealer.dealerId, amount: lot?.startingPrice, idempotency_key: key };
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const init = { method: 'POST', headers, body: JSON.stringify(body, null, 2) };
  const bid = await send(new Request(`${sandbox.baseUrl}/lots/${lot?.id}/bids`, init));
  expect(bid.status).toBe(201);
});

it('signedFetch signs a tunnelled PATCH by its effective method', async () => {
  await using sandbox = await startSandbox();
  const [lot] = sandbox.auctions.get('upcoming').lots;
  const vehicle = sandbox.vehicleOf(lot?.id ?? '');
  const key = randomUUID();
  const body = { _method: 'PATCH', idempotency_key: key, expected_version: vehicle.resource_version };
  const reply = await signedFetch(sandbox.credentials.bank)(
    `${sandbox.baseUrl}/bank/inventory/vehicles/${vehicle.id}`,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify(body),
    },
  );
  // The signature holds: the refusal is about the vehicle.
  expect([reply.status, await reply.text()]).toEqual([409, expect.stringContaining('must be draft')]);
});
