import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { bid, freshSandbox, get, lotOf, plus, sandbox, send } from './caller.js';
import { command } from './workflow.js';

freshSandbox();

const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';

/** What is the same in every receipt here. */
const receipt = {
  ...{ bid_id: expect.stringMatching(/^bid_/), server_received_at: '2026-03-01T10:00:00.000Z' },
  ...{ effective_close_at: '2026-03-01T19:30:00+05:30', replayed: false },
};

/** A whole reply to a bid. */
const replyOf = (code: string, data: object, errors: readonly string[] = []) => ({
  ...{ success: errors.length === 0, code, message: expect.any(String), data, errors },
  ...{ request_id: expect.any(String), timestamp: '2026-03-01T10:00:00.000Z' },
});

// rule: bid-state.accepted, convention.3
test('acceptance, literally, and its replay', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const content = { amount: plus(lot.startingPrice, 10_000), idempotency_key: key };
  const first = await bid(sandbox, dealer, lot.id, content);
  expect(first.status).toBe(201);
  const recorded = {
    ...receipt,
    ...{ request_id: first.json.request_id, status: 'accepted', lot_version: 2 },
    ...{ bidder_status: 'leading', channel_status: 'leading' },
    ...{ highest_amount: content.amount, current_amount: Number(content.amount) },
  };
  expect(first.json).toEqual(replyOf('BID_ACCEPTED', recorded));

  sandbox.clock.advance(5_000);
  sandbox.actors.rival.bid(lot.id, plus(content.amount, 5000));
  const again = await bid(sandbox, dealer, lot.id, content);
  expect(again.status).toBe(200);
  expect(again.json.data).toEqual({ ...first.json.data, replayed: true });
  expect([again.json.success, again.json.code, again.json.errors]).toEqual([true, 'BID_ACCEPTED', []]);
  expect(again.json.timestamp).toBe('2026-03-01T10:00:05.000Z');
  const { bid_id } = first.json.data;
  expect(sandbox.ledger().filter((entry) => entry.clientId === dealer.clientId)).toEqual([
    {
      ...{ kind: 'bid', operation: 'bids.submit', call: 'bids.submit', recordId: bid_id, bidId: bid_id },
      ...{ idempotencyKey: key, clientId: dealer.clientId, lotId: lot.id, amount: content.amount },
      at: Date.parse('2026-03-01T10:00:00Z'),
    },
  ]);
});

// rule: bid-state.rejected, error-shape.1, error.rejected
test('rejection, literally, and its replay: even when it would be accepted by now', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const content = { amount: lot.startingPrice, idempotency_key: key };
  sandbox.partners.update(dealer.clientId, { blocked: true });
  const first = await bid(sandbox, dealer, lot.id, content);
  expect(first.status).toBe(422);
  const recorded = {
    ...receipt,
    ...{ request_id: first.json.request_id, status: 'rejected', lot_version: 1 },
    ...{ bidder_status: 'no_bid', channel_status: 'no_bid', highest_amount: null },
  };
  expect(first.json).toEqual(replyOf('DEALER_NOT_ELIGIBLE', recorded, ['DEALER_NOT_ELIGIBLE']));
  sandbox.partners.update(dealer.clientId, { blocked: false });
  const again = await bid(sandbox, dealer, lot.id, content);
  expect(again.status).toBe(422);
  expect(again.json.data).toEqual({ ...first.json.data, replayed: true });
  expect(again.json.errors).toEqual(['DEALER_NOT_ELIGIBLE']);
  expect(sandbox.ledger()).toEqual([]);
  expect((await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice })).status).toBe(201);
});

// rule: bid.9, code.key-conflict
test('anything changed under a key is a conflict, and changes nothing', async () => {
  const { platform } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const other = lotOf(sandbox, 'live-open', 1);
  const path = (id: string) => `/api/v1/lots/${id}/bids`;
  const buyer = { dealer_id: platform.dealerId, bidder_reference: 'A' };
  const body = { ...buyer, amount: lot.startingPrice, idempotency_key: key };
  const post = (id: string, what: unknown, header = key) =>
    send(sandbox, platform, { path: path(id), body: what, headers: { 'Idempotency-Key': header } });
  expect((await post(lot.id, body)).status).toBe(201);
  const upper = key.toUpperCase();
  for (const [id, changed, header] of [
    [lot.id, { ...body, amount: plus(lot.startingPrice, 5000) }, key],
    [lot.id, { ...body, bidder_reference: 'B' }, key],
    [lot.id, { ...body, client_bid_time: '2026-03-01T10:00:00Z' }, key],
    [lot.id, JSON.stringify(body, null, 1), key],
    [lot.id, { ...body, idempotency_key: upper }, upper],
    [other.id, body, key],
    ['lot_none', body, key],
  ] as const) {
    const { status, json } = await post(id, changed, header);
    const code = 'IDEMPOTENCY_CONFLICT';
    expect({ status, ...json }).toMatchObject({ status: 409, code, errors: [code], data: null });
  }
  expect(sandbox.ledger()).toHaveLength(1);
  expect((await post(lot.id, body)).json.data.replayed).toBe(true);
});

// rule: bid.9
test('a key belongs to one client', async () => {
  const { dealer, platform } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-closed');
  const content = { amount: lot.startingPrice, idempotency_key: key };
  expect((await bid(sandbox, dealer, lot.id, content)).status).toBe(201);
  const lookup = (who: typeof dealer) => get(sandbox, who, `/api/v1/bid-requests/${key}`);
  expect((await lookup(platform)).json.data.state).toBe('absent');
  expect((await bid(sandbox, platform, lot.id, { ...content, bidder_reference: 'A' })).status).toBe(201);
});

// rule: bid.9
test('A06 finds what was recorded', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const lookup = async (of: string) => (await get(sandbox, dealer, `/api/v1/bid-requests/${of}`)).json;
  expect(await lookup(key)).toEqual({
    data: {
      idempotency_key: key,
      state: 'absent',
      observed_at: '2026-03-01T10:00:00.000Z',
      receipt: null,
      retry: expect.any(String),
    },
    server_time: '2026-03-01T10:00:00.000Z',
  });
  const accepted = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice, idempotency_key: key });
  expect((await lookup(key)).data).toMatchObject({ state: 'accepted', receipt: accepted.json.data });
  const second = randomUUID();
  const rejected = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice, idempotency_key: second });
  expect((await lookup(second)).data).toMatchObject({ state: 'rejected', receipt: rejected.json.data });
  const malformed = await get(sandbox, dealer, '/api/v1/bid-requests/not-a-uuid');
  expect([malformed.status, Object.keys(malformed.json.errors)]).toEqual([422, ['idempotency_key']]);
});

// rule: version.2, convention.3
test('a key spent on a bid is spent for commands', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const made = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice, idempotency_key: key });
  const path = `/api/v1/bids/${made.json.data.bid_id}/cancellation-requests`;
  const got = await command(sandbox, dealer, path, { reason_code: 'A', idempotency_key: key });
  expect([got.status, got.json.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
});
