import { describe, expect, it, test } from 'vitest';
import type { SandboxCredentials } from '../../src/sandbox/index.js';
import { bid, dealer, freshSandbox, get, lotOf, plus, sandbox, send } from './caller.js';
import type { ActName } from './commands.js';
import { storyOf } from './story.js';

freshSandbox();

const statusOf = async (lotId: string, who: SandboxCredentials = dealer()) =>
  (await get(sandbox, who, `/api/v1/lots/${lotId}/status`)).json.data;
const batch = (body: unknown, who = sandbox.credentials.platform) =>
  send(sandbox, who, { path: '/api/v1/lots/status-batch', body });
const nothing = { sale: null, payment: null, release: null, allowed_actions: [] };

describe('A10', () => {
  it('shows a live lot, literally', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    sandbox.clock.advance(1_000);
    await bid(sandbox, dealer(), id, { amount: startingPrice });
    const server_time = '2026-03-01T10:00:01.000Z';
    const data = {
      ...{ lot_id: id, auction_state: 'live', inventory_state: 'published', resource_version: 2 },
      ...{ updated_at: server_time, effective_close_at: '2026-03-01T19:30:00+05:30', provisional: true },
      ...{ ...nothing, allowed_actions: ['bid'], own_standing: 'leading' },
      ...{ own_amount: startingPrice, highest_amount: startingPrice },
    };
    expect((await get(sandbox, dealer(), `/api/v1/lots/${id}/status`)).json).toEqual({ data, server_time });
  });

  // rule: access.assignment, code.not-found
  it.each(['unassigned', 'other-bank', 'cancelled'])('of a lot that is %s is a 404', async (label) => {
    const reply = await get(sandbox, dealer(), `/api/v1/lots/${lotOf(sandbox, label).id}/status`);
    expect([reply.status, Object.keys(reply.json)]).toEqual([404, ['message']]);
  });

  it('follows a sale from its award to the collection, and counts every step that it shows', async () => {
    const about = await storyOf(sandbox, {});
    const { saleId, lotId, amount } = about.sold;
    const first = await about.lotStatus();
    const sale = {
      ...{ id: saleId, state: 'pending_bank_approval', resource_version: 1, amount, currency: 'INR' },
      ...{ acknowledged_at: null, due_at: null },
    };
    expect(first).toEqual({
      ...{ lot_id: lotId, auction_state: 'over', inventory_state: 'published', resource_version: 4 },
      ...{ updated_at: '2026-03-01T10:00:00.000Z', effective_close_at: '2026-03-01T15:30:00+05:30' },
      ...{ ...nothing, sale, provisional: true, own_standing: 'leading' },
      ...{ own_amount: amount, highest_amount: amount },
    });
    const approved = {
      ...{ ...sale, state: 'approved', resource_version: 4, amount: '310000.50' },
      due_at: '2026-03-08T10:00:00.000Z',
    };
    const unpaid = {
      ...{ sale_id: saleId, state: 'unpaid', resource_version: 4, currency: 'INR' },
      ...{ due_amount: '310000.50', verified_credits: '0.00', remaining: '310000.50' },
    };
    const part = { state: 'partially_paid', verified_credits: '100000.00', remaining: '210000.50' };
    const whole = { state: 'paid', verified_credits: '310000.50', remaining: '0.00' };
    const due = ['report_payment'];
    const at = '2026-03-01T10:00:00.000Z';
    const amounts = { amount: '100000.00' };
    const rest = { amount: '210000.50' };
    const steps: [ActName, Record<string, unknown>, steps: number, shows: Record<string, unknown>][] = [
      ['offer', {}, 1, { sale: { resource_version: 2 }, allowed_actions: ['respond_to_offer'] }],
      ['accept', {}, 1, { sale: { resource_version: 3 }, allowed_actions: [] }],
      ['approve', {}, 1, { inventory_state: 'sold', sale: approved, payment: unpaid }],
      ['acknowledge', {}, 1, { sale: { resource_version: 5, acknowledged_at: at }, allowed_actions: due }],
      ['import', amounts, 0, { payment: { state: 'unpaid' } }],
      ['allocate', amounts, 1, { payment: part, allowed_actions: due }],
      ['import', rest, 0, { payment: part }],
      ['allocate', rest, 1, { payment: whole, allowed_actions: [] }],
      ['release', {}, 1, { release: { state: 'valid' }, inventory_state: 'sold', allowed_actions: [] }],
      ['revoke', {}, 1, { release: { state: 'revoked', resource_version: 2 } }],
      ['release', {}, 1, { release: { state: 'valid', resource_version: 1 } }],
      ['collect', {}, 1, { release: { state: 'used', resource_version: 2 }, inventory_state: 'collected' }],
    ];
    let version = 4;
    for (const [act, change, counts, shows] of steps) {
      await about.do(act, change);
      version += counts;
      const status = await about.lotStatus();
      expect([act, status]).toMatchObject([act, { ...shows, resource_version: version }]);
      if (act === 'approve') expect(status.allowed_actions).toEqual(['acknowledge', ...due]);
      if (act === 'approve') expect([status.sale, status.payment]).toEqual([approved, unpaid]);
    }
    const { id } = about.newest('release');
    const dates = { expires_at: '2026-03-04T10:00:00.000Z', collection_date: '2026-03-02' };
    expect((await about.lotStatus()).release).toEqual({ id, state: 'used', resource_version: 2, ...dates });
  });

  it('counts what time does to an offer and to a release', async () => {
    const about = await storyOf(sandbox, {}, 'offer');
    const days = async (shows: unknown) => {
      const { resource_version } = await about.lotStatus();
      sandbox.clock.advance(3 * 86_400_000);
      expect(await about.lotStatus()).toMatchObject({
        ...Object(shows),
        resource_version: resource_version + 1,
      });
    };
    await days({ allowed_actions: [] });
    await about.go('approve', 'acknowledge', 'import', 'allocate', 'release');
    await days({ release: { state: 'expired' }, inventory_state: 'sold' });
  });

  // rule: general.3
  it('tells others that the vehicle is sold, and nothing of the sale', async () => {
    const { rival, platform } = sandbox.credentials;
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    sandbox.actors.rival.bid(id, startingPrice);
    const { sold } = await storyOf(sandbox, { amount: plus(startingPrice, 5_000) }, 'approve', 'acknowledge');
    expect((await statusOf(id)).sale).not.toBeNull();
    for (const who of [rival, platform]) {
      const seen = await statusOf(id, who);
      expect(seen).toMatchObject({ ...nothing, inventory_state: 'sold' });
      for (const secret of [sold.saleId, sold.bidId, 'D-204'])
        expect(JSON.stringify(seen)).not.toContain(secret);
    }
    expect(await statusOf(id, rival)).toMatchObject({ own_standing: 'outbid', own_amount: startingPrice });
  });

  it.each([
    ['sales:acknowledge', 'approve', ['report_payment']],
    ['payments:report', 'approve', ['acknowledge']],
    ['offers:respond', 'offer', []],
  ] as const)('allows nothing that the scopes do not: without %s after %s', async (missing, act, left) => {
    const { sold } = await storyOf(sandbox, {}, act);
    const { scopes } = sandbox.partners.get(dealer().clientId);
    sandbox.partners.update(dealer().clientId, { scopes: scopes.filter((scope) => scope !== missing) });
    expect((await statusOf(sold.lotId)).allowed_actions).toEqual(left);
  });

  it('shows a dealer’s sale whatever dealer is linked to it by now', async () => {
    const { sold } = await storyOf(sandbox, {}, 'approve');
    sandbox.partners.update(dealer().clientId, { dealerId: 'D-999' });
    expect(await statusOf(sold.lotId)).toMatchObject({ own_standing: 'no_bid', sale: { id: sold.saleId } });
  });
});

describe('A11', () => {
  // rule: convention.2
  test('answers each lot by itself, without an idempotency key', async () => {
    const { id, startingPrice: amount } = lotOf(sandbox, 'live-open');
    const hidden = lotOf(sandbox, 'other-bank').id;
    await bid(sandbox, sandbox.credentials.platform, id, { amount, bidder_reference: 'A' });
    const { status, json } = await batch({ lot_ids: [id, hidden, '__proto__'], bidder_reference: 'A' });
    expect([status, Object.keys(json)]).toEqual([200, ['data', 'server_time']]);
    const data = expect.objectContaining({ lot_id: id, own_standing: 'leading' });
    expect(json.data).toEqual([
      { lot_id: id, status: 200, data },
      { lot_id: hidden, status: 404, code: 'NOT_FOUND' },
      { lot_id: '__proto__', status: 404, code: 'NOT_FOUND' },
    ]);
    const [nobody] = (await batch({ lot_ids: [id] })).json.data;
    expect(nobody.data).not.toHaveProperty('own_standing');
    expect(nobody.data).not.toHaveProperty('own_amount');
    expect(sandbox.ledger()).toHaveLength(1);
  });

  // rule: limit.batch
  test.each<[Record<string, unknown>, string]>([
    [{ lot_ids: [] }, 'lot_ids'],
    [{}, 'lot_ids'],
    [{ lot_ids: 'lot_1' }, 'lot_ids'],
    [{ lot_ids: [1] }, 'lot_ids.0'],
    [{ lot_ids: Array.from({ length: 101 }, () => 'x') }, 'lot_ids'],
    [{ lot_ids: ['x'], bidder_reference: 'a b' }, 'bidder_reference'],
  ])('of %j is a 422 for %s', async (body, field) => {
    const reply = await batch(body);
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
  });

  // rule: limit.batch
  test('takes a hundred lots, and no buyer of a direct dealer', async () => {
    const named = await batch({ lot_ids: ['x'], bidder_reference: 'A' }, dealer());
    expect([named.status, Object.keys(named.json.errors)]).toEqual([422, ['bidder_reference']]);
    const lot_ids = Array.from({ length: 100 }, () => lotOf(sandbox, 'live-open').id);
    expect((await batch({ lot_ids })).json.data).toHaveLength(100);
  });

  test('shows a platform’s sale to the buyer who bid, or when nobody is named', async () => {
    const { platform } = sandbox.credentials;
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    await bid(sandbox, platform, id, { amount: startingPrice, bidder_reference: 'B' });
    const amount = plus(startingPrice, 5_000);
    const { sold } = await storyOf(sandbox, { who: platform, bidder_reference: 'A', amount }, 'approve');
    const asked = async (named: { bidder_reference?: string }) =>
      (await batch({ lot_ids: [id], ...named })).json.data[0].data;
    for (const seen of [
      await asked({ bidder_reference: 'A' }),
      await asked({}),
      await statusOf(id, platform),
    ]) {
      expect(seen).toMatchObject({ sale: { id: sold.saleId }, payment: { remaining: amount } });
      expect(seen.allowed_actions).toEqual(['acknowledge', 'report_payment']);
    }
    for (const bidder_reference of ['B', 'nobody']) {
      expect(await asked({ bidder_reference })).toMatchObject({ ...nothing, inventory_state: 'sold' });
    }
  });
});

it.each([
  ['upcoming', 'opensAt', 'live', ['bid']],
  ['live-open', 'closesAt', 'over', []],
] as const)(
  'A10 counts time in the version of a lot nobody bid on: %s',
  async (label, at, state, actions) => {
    const { id } = lotOf(sandbox, label);
    const moment = sandbox.auctions.get(label)[at];
    const first = await statusOf(id);
    sandbox.clock.advanceTo(moment - 1);
    expect(await statusOf(id)).toEqual(first);
    sandbox.clock.advance(60_001);
    expect(await statusOf(id)).toEqual({
      ...{ ...first, auction_state: state, allowed_actions: actions },
      ...{ resource_version: first.resource_version + 1, updated_at: new Date(moment).toISOString() },
    });
  },
);

// rule: event-state.over
it('A10 hides the highest amount of a closed auction still', async () => {
  const { id, startingPrice } = lotOf(sandbox, 'live-closed');
  sandbox.actors.rival.bid(id, startingPrice);
  const amount = plus(startingPrice, 2_500);
  await storyOf(sandbox, { label: 'live-closed', amount }, 'approve');
  const toRival = await statusOf(id, sandbox.credentials.rival);
  expect(toRival).not.toHaveProperty('highest_amount');
  expect(JSON.stringify(toRival)).not.toContain(amount);
  expect(await statusOf(id)).not.toHaveProperty('highest_amount');
  expect((await statusOf(id)).sale.amount).toBe(amount);
});
