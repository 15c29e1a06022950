import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { fetchTransport, PartnerClient } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Agent } from './agent.js';

/** Tests the agent with msw: the sandbox mocks the auction, a handler in this file the books. */

const booksUrl = 'https://books.example';
const server = setupServer();

let sandbox: Sandbox;
let auction: PartnerClient<'direct_dealer'>;
let agent: Agent;
let entries: unknown[];
let order: { eventId: string; lotId: string; limit: string };

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 7, listen: false });
  entries = [];
  server.use(
    ...sandbox.handlers(),
    http.post(`${booksUrl}/entries`, async ({ request }) => {
      entries.push(await request.json());
      return HttpResponse.json({});
    }),
  );
  auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    clock: sandbox.clock,
    // msw sees the global fetch; it does not see the client's own connections.
    transport: fetchTransport(globalThis.fetch),
    logLevel: 'off',
  });
  agent = new Agent(auction, booksUrl);

  const live = sandbox.auctions.get('live-closed');
  const [lot] = live.lots;
  if (lot === undefined) throw new Error('no lots');
  order = { eventId: live.id, lotId: lot.id, limit: '9000000' };
});

afterEach(async () => {
  await auction.close();
  await sandbox.close();
  server.resetHandlers();
});

it('bids once in a sealed auction and leads', async () => {
  const result = await agent.carryOut(order);
  expect(result.status).toBe('leading');
  expect(entries).toMatchObject([{ lot_id: order.lotId, amount: result.amount }]);
});

it('throws where the books are down, and does not bid twice in the next run', async () => {
  server.use(http.post(`${booksUrl}/entries`, () => new HttpResponse(null, { status: 503 })));
  await expect(agent.carryOut(order)).rejects.toThrow('the books answered 503');
  expect(sandbox.ledger()).toHaveLength(1);
  // The same order again finds its own bid.
  expect(await agent.carryOut(order)).toMatchObject({ status: 'leading' });
  expect(sandbox.ledger()).toHaveLength(1);
});

it('does not take the page of a proxy for an answer', async () => {
  sandbox.inject({ operation: 'bids.submit', fault: 'garbage', status: 502, commit: true });
  expect(await agent.carryOut(order)).toMatchObject({ status: 'leading' });
  expect(sandbox.ledger()).toHaveLength(1);
});

it('places no other bid on a lot while one is in doubt, and continues once a lookup has an answer', async () => {
  const answerAgain = sandbox.inject({
    operation: 'bids.submit',
    fault: 'garbage',
    status: 502,
    commit: true,
    times: 99,
  });
  const lookAgain = sandbox.inject({
    operation: 'A06',
    fault: 'delay_after_commit',
    ms: 3_600_000,
    times: 99,
  });
  for (const operation of ['bids.submit', 'A06']) {
    const carriedOut = agent.carryOut(order);
    while (count(operation) === 0) await new Promise((resolve) => setImmediate(resolve));
    sandbox.clock.advance(90_000); // the deadline of the call
    expect(await carriedOut).toMatchObject({ status: 'in_doubt' });
  }
  const sent = count('bids.submit'); // all of them by the first order
  answerAgain();
  lookAgain();
  expect(await agent.carryOut(order)).toMatchObject({ status: 'leading' });
  expect(count('bids.submit')).toBe(sent);
  expect(entries).toHaveLength(1);
});

it('throws where the deposit has expired', async () => {
  sandbox.partners.update(sandbox.credentials.dealer.clientId, { emdUntil: sandbox.clock.now() - 1 });
  await expect(agent.carryOut(order)).rejects.toThrow('EMD_EXPIRED');
  expect(entries).toEqual([]);
});

/** Number of calls that reached the sandbox. */
function count(name: string): number {
  return sandbox.attempts().filter(({ operation }) => operation === name).length;
}
