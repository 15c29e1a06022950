import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PartnerClient, RateLimitError } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Agent } from './agent.js';

/** Tests the agent over real HTTP, with the production client and two local servers. */

let sandbox: Sandbox;
let auction: PartnerClient<'direct_dealer'>;
let agent: Agent;
let entries: unknown[];
let books: ReturnType<typeof createServer>;
let order: { eventId: string; lotId: string };
let opening: string;

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 7 });
  auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    clock: sandbox.clock,
    logLevel: 'off',
  });
  entries = [];
  books = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    entries.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.end('{}');
  });
  await new Promise<void>((resolve) => books.listen(0, '127.0.0.1', resolve));
  const { port } = books.address() as AddressInfo;
  agent = new Agent(auction, `http://127.0.0.1:${port}`);

  const live = sandbox.auctions.get('live-open');
  const [lot] = live.lots;
  if (lot === undefined) throw new Error('no lots');
  order = { eventId: live.id, lotId: lot.id };
  opening = lot.startingPrice;
});

afterEach(async () => {
  await auction.close();
  await sandbox.close();
  books.closeAllConnections();
  await new Promise((resolve) => books.close(resolve));
});

const plus = (amount: string, rupees: number) => `${BigInt(amount.split('.')[0] ?? 0) + BigInt(rupees)}.00`;

it('bids the opening price and leads', async () => {
  const result = await agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  expect(result).toEqual({ status: 'leading', amount: opening });
  expect(entries).toEqual([{ bid_id: expect.any(String), lot_id: order.lotId, amount: opening }]);
});

it('outbids a rival by one step', async () => {
  sandbox.actors.rival.bid(order.lotId, plus(opening, 10_000));
  const result = await agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  expect(result).toEqual({ status: 'leading', amount: plus(opening, 15_000) });
});

it('stops at its limit', async () => {
  sandbox.actors.rival.bid(order.lotId, plus(opening, 50_000));
  const result = await agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  expect(result).toEqual({ status: 'limit_reached', amount: null });
  expect(sandbox.ledger().filter(({ clientId }) => clientId === sandbox.credentials.dealer.clientId)).toEqual(
    [],
  );
});

it('bids once although the connection breaks after the bid was recorded', async () => {
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const result = await agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  expect(result.status).toBe('leading');
  expect(sandbox.ledger()).toHaveLength(1);
  expect(entries).toHaveLength(1);

  const copies = sandbox.attempts().filter(({ operation }) => operation === 'bids.submit');
  expect(copies).toHaveLength(2);
  expect(new Set(copies.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(new Set(copies.map(({ nonce }) => nonce)).size).toBe(2);
});

it('leaves a bid in doubt while its replies are lost, and settles it before it bids again', async () => {
  const answerAgain = sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', times: 99 });
  const carriedOut = agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  await arrived('bids.submit');
  sandbox.clock.advance(90_000); // the deadline of the call
  expect(await carriedOut).toEqual({ status: 'in_doubt', amount: opening });
  expect(entries).toEqual([]); // not in the books yet
  answerAgain();

  const settled = await agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  expect(settled).toEqual({ status: 'leading', amount: opening });
  expect(entries).toEqual([{ bid_id: expect.any(String), lot_id: order.lotId, amount: opening }]);
  expect(sandbox.ledger()).toHaveLength(1);
});

it('reports a lot as closed where the auction closes between the read and the bid', async () => {
  sandbox.inject({ operation: 'events.lot', fault: 'delay_after_commit', ms: 1_000 });
  const carriedOut = agent.carryOut({ ...order, limit: plus(opening, 50_000) });
  await arrived('events.lot');
  sandbox.auctions.close('live-open');
  sandbox.clock.advance(1_000);
  expect(await carriedOut).toEqual({ status: 'closed', amount: null });
  expect(entries).toEqual([]);
});

it('throws a RateLimitError where the quota is used up', async () => {
  sandbox.inject({ operation: 'events.get', fault: 'rate_limit', retryAfter: 3_600 });
  await expect(agent.carryOut({ ...order, limit: opening })).rejects.toThrow(RateLimitError);
});

/** Waits until a call has reached the sandbox. */
async function arrived(method: string): Promise<void> {
  while (!sandbox.attempts().some(({ operation }) => operation === method)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
