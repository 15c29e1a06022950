import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, send } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

describe('lot status', () => {
  test('A10, literally', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    sandbox.clock.advance(1000);
    await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect((await get(sandbox, dealer, `/api/v1/lots/${lot.id}/status`)).json).toEqual({
      data: {
        lot_id: lot.id,
        auction_state: 'live',
        inventory_state: 'published',
        resource_version: 2,
        updated_at: '2026-03-01T10:00:01.000Z',
        effective_close_at: '2026-03-01T19:30:00+05:30',
        sale: null,
        payment: null,
        release: null,
        allowed_actions: ['bid'],
        provisional: true,
        own_standing: 'leading',
        own_amount: lot.startingPrice,
        highest_amount: lot.startingPrice,
      },
      server_time: '2026-03-01T10:00:01.000Z',
    });
    sandbox.auctions.close('live-open');
    const after = (await get(sandbox, dealer, `/api/v1/lots/${lot.id}/status`)).json.data;
    expect(after).toMatchObject({ auction_state: 'over', resource_version: 4, allowed_actions: [] });
  });

  test.each([
    ['upcoming', 'opensAt', 'live'],
    ['live-open', 'closesAt', 'over'],
  ] as const)('A10: time moves the version of a lot nobody bid on: %s', async (label, at, state) => {
    const { dealer } = sandbox.credentials;
    const moment = sandbox.auctions.get(label)[at];
    const status = async () =>
      (await get(sandbox, dealer, `/api/v1/lots/${lotOf(sandbox, label).id}/status`)).json.data;
    const first = await status();
    sandbox.clock.advance(moment - sandbox.clock.now() - 1);
    expect(await status()).toEqual(first);
    sandbox.clock.advance(60_001);
    expect(await status()).toEqual({
      ...first,
      auction_state: state,
      allowed_actions: state === 'live' ? ['bid'] : [],
      resource_version: first.resource_version + 1,
      updated_at: new Date(moment).toISOString(),
    });
  });

  // rule: access.assignment, code.not-found
  test('A10 of what isn’t the caller’s is a 404', async () => {
    for (const label of ['unassigned', 'other-bank', 'cancelled']) {
      const path = `/api/v1/lots/${lotOf(sandbox, label).id}/status`;
      const reply = await get(sandbox, sandbox.credentials.dealer, path);
      expect([reply.status, Object.keys(reply.json)]).toEqual([404, ['message']]);
    }
  });

  const batch = (body: unknown, who = sandbox.credentials.platform) =>
    send(sandbox, who, { path: '/api/v1/lots/status-batch', body });

  // rule: convention.2
  test('A11: each item by itself, no idempotency key', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    await bid(sandbox, platform, lot.id, { amount: lot.startingPrice, bidder_reference: 'A' });
    const hidden = lotOf(sandbox, 'other-bank').id;
    const { status, json } = await batch({ lot_ids: [lot.id, hidden, '__proto__'], bidder_reference: 'A' });
    expect([status, Object.keys(json)]).toEqual([200, ['data', 'server_time']]);
    expect(json.data).toEqual([
      {
        lot_id: lot.id,
        status: 200,
        data: expect.objectContaining({ lot_id: lot.id, own_standing: 'leading' }),
      },
      { lot_id: hidden, status: 404, code: 'NOT_FOUND' },
      { lot_id: '__proto__', status: 404, code: 'NOT_FOUND' },
    ]);
    const nobody = (await batch({ lot_ids: [lot.id] })).json.data[0].data;
    expect(nobody).not.toHaveProperty('own_standing');
    expect(nobody).not.toHaveProperty('own_amount');
    expect(sandbox.ledger()).toHaveLength(1);
  });

  test.each([
    [{ lot_ids: [] }, 'lot_ids'],
    [{}, 'lot_ids'],
    [{ lot_ids: 'lot_1' }, 'lot_ids'],
    [{ lot_ids: [1] }, 'lot_ids.0'],
    [{ lot_ids: Array.from({ length: 101 }, () => 'x') }, 'lot_ids'],
    [{ lot_ids: ['x'], bidder_reference: 'a b' }, 'bidder_reference'],
  ])('A11 refuses %j', async (body, field) => {
    const reply = await batch(body);
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
  });

  // rule: limit.batch
  test('A11: direct dealers name no buyer; a hundred lots are fine', async () => {
    const { dealer } = sandbox.credentials;
    const named = await batch({ lot_ids: ['x'], bidder_reference: 'A' }, dealer);
    expect([named.status, Object.keys(named.json.errors)]).toEqual([422, ['bidder_reference']]);
    const lot_ids = Array.from({ length: 100 }, () => lotOf(sandbox, 'live-open').id);
    expect((await batch({ lot_ids })).json.data).toHaveLength(100);
  });
});
