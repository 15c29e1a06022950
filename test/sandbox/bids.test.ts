import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AccessFacts, SandboxCredentials } from '../../src/sandbox/index.js';
import { bid, dealer, freshSandbox, get, lotOf, plus, sandbox, send } from './caller.js';

freshSandbox();

/** Asks A03; the query is made canonical by hand. */
const check = (asked: Record<string, string>, who: SandboxCredentials = dealer()) => {
  const pairs = Object.entries(asked).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return get(sandbox, who, '/api/v1/bidding-eligibility', pairs.sort().join('&'));
};

/** Codes of a bid of the dealer, at the opening plus rupees, once A03 has foretold them. */
async function codes(label: string, extra: number, index = 0): Promise<string[]> {
  const lot = lotOf(sandbox, label, index);
  const amount = plus(lot.startingPrice, extra);
  const { data } = (await check({ lot_id: lot.id, amount })).json;
  const { status, json } = await bid(sandbox, dealer(), lot.id, { amount });
  expect([data.errors, data.eligible, status]).toEqual([
    json.errors,
    status === 201,
    data.eligible ? 201 : 422,
  ]);
  return json.errors;
}

const grid = ['BID_OFF_OPENING_GRID'];
const low = ['BID_BELOW_MINIMUM'];
const both = [...grid, ...low];
const notLive = ['LOT_NOT_LIVE'];

describe('opening, grid and minimum', () => {
  const verdicts: Record<string, string[]> = { ok: [], grid, low, both };
  // rule: bid.1, bid.2, bid.3, bid.4, bid.5, bid.7, code.grid, code.minimum
  test.each([
    ['live-open', null, '0.01 grid, 2500 grid, -0.01 grid, -5000 grid, 0 ok'],
    ['live-open', null, '500000 ok, 500000 low, 505000 ok'],
    ['live-open', 20_000, '10000 low, 20000 low, 22500 both, 26000 grid, 25000 ok'],
    ['live-closed', null, '-2500 grid, 0 ok'],
    ['live-closed', 100_000, '0 ok, 0 low, 1000 both, 3000 grid, 2500 ok'],
    ['live-legacy', null, '0 low, 1000 ok, 1000 low'],
    ['live-legacy', 5_000, '5000 low, 5500 both, 6000 ok'],
    ['live-no-grid', null, '-0.01 low, 0.01 ok, 0 low, 0.01 ok, 0.02 ok'],
  ])('decide the bids in %s with a rival at %s: %s', async (label, rival, steps) => {
    const lot = lotOf(sandbox, label);
    if (rival !== null) sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, rival));
    for (const step of steps.split(', ')) {
      const [extra = '', verdict = ''] = step.split(' ');
      expect([step, await codes(label, Number(extra))]).toEqual([step, verdicts[verdict]]);
    }
  });

  // rule: general.1
  test('paise are exact where floating point is not', async () => {
    sandbox.partners.update(dealer().clientId, { buyerLimit: '999999999999.99' });
    const lot = lotOf(sandbox, 'live-no-grid', 1);
    const at = async (amount: string) => (await bid(sandbox, dealer(), lot.id, { amount })).json;
    expect((await at('999999999999.98')).data.highest_amount).toBe('999999999999.98');
    expect((await at('999999999999.97')).errors).toEqual(low);
    expect((await at('999999999999.99')).data.current_amount).toBe(999999999999.99);
  });

  // rule: bid-state.rejected
  test('every broken rule is listed, the first one as the code', async () => {
    sandbox.partners.update(dealer().clientId, { blocked: true });
    const lot = lotOf(sandbox, 'live-open');
    sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 20_000));
    sandbox.auctions.close('live-open');
    const content = { amount: plus(lot.startingPrice, 1), bidder_reference: 'someone' };
    const { status, json } = await bid(sandbox, dealer(), lot.id, content);
    const errors = ['DIRECT_DEALER_IDENTITY_REQUIRED', ...notLive, 'DEALER_NOT_ELIGIBLE', ...both];
    const data = { status: 'rejected' };
    expect([status, json]).toMatchObject([422, { success: false, code: errors[0], errors, data }]);
  });
});

describe('the window of an auction', () => {
  // rule: event-state.live, event-state.over, bid.6
  test.each([
    ['opens', 'upcoming', 'opensAt', notLive, [], 0],
    ['closes', 'live-open', 'closesAt', [], notLive, 5_000],
  ] as const)('%s at its very moment', async (_, label, at, before, from, next) => {
    sandbox.clock.advanceTo(sandbox.auctions.get(label)[at] - 1);
    expect(await codes(label, 0)).toEqual(before);
    sandbox.clock.advance(1);
    expect(await codes(label, next)).toEqual(from);
  });

  test.each<[string, () => unknown]>([
    ['a cancelled auction', () => sandbox.auctions.cancel('live-open')],
    ['a withdrawn lot', () => sandbox.auctions.withdraw(lotOf(sandbox, 'live-open').id)],
  ])('is that of no bid in %s', async (_, end) => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    end();
    expect((await bid(sandbox, dealer(), id, { amount: startingPrice })).json.errors).toEqual(notLive);
    expect((await check({ lot_id: id })).status).toBe(404);
  });
});

describe('who may bid', () => {
  const lapsed = '2026-03-01T10:00:00Z';
  // rule: bid.7, code.buyer, code.limits
  test.each<[Partial<AccessFacts>, number, string[]]>([
    [{ kycStatus: 'pending' }, 422, ['DEALER_NOT_ELIGIBLE']],
    [{ emdStatus: 'pending' }, 422, ['DEALER_NOT_ELIGIBLE']],
    [{ blocked: true }, 422, ['DEALER_NOT_ELIGIBLE']],
    [{ buyerLimit: '1.00' }, 422, ['DEALER_NOT_ELIGIBLE']],
    [{ limitUntil: lapsed }, 403, ['BUYER_LIMIT_EXPIRED']],
    [{ emdUntil: lapsed }, 403, ['EMD_EXPIRED']],
    [{ limitUntil: lapsed, emdUntil: 0 }, 403, ['BUYER_LIMIT_EXPIRED', 'EMD_EXPIRED']],
    [{ limitUntil: 0, emdUntil: 0, blocked: true }, 403, ['BUYER_LIMIT_EXPIRED', 'EMD_EXPIRED']],
    [{ dealerId: 'D-999' }, 403, ['BUYER_NOT_ELIGIBLE']],
    [{ dealerId: null }, 403, ['BUYER_NOT_ELIGIBLE']],
    [{ dealerExists: false }, 422, ['DEALER_NOT_FOUND']],
    [{ resourceGranted: false }, 422, ['RESOURCE_NOT_GRANTED']],
    [{ channelGranted: false }, 422, ['CHANNEL_NOT_GRANTED']],
    [
      { buyerEntitled: false, kycStatus: 'pending' },
      422,
      ['BUYER_NOT_ENTITLED_TO_CLIENT', 'DEALER_NOT_ELIGIBLE'],
    ],
    [{ scopes: ['eligibility:read', 'bids:read'], blocked: true }, 403, ['SCOPE_DENIED']],
  ])('%o: a %i with the codes %j, which A03 foretells', async (change, status, expected) => {
    const before = sandbox.partners.get(dealer().clientId);
    sandbox.partners.update(dealer().clientId, change);
    const lot = lotOf(sandbox, 'live-open');
    const asked = await check({ lot_id: lot.id, amount: lot.startingPrice });
    // It asks for the dealer that is linked, the bid for the one that it names.
    const errors = typeof change.dealerId === 'string' ? [] : expected;
    expect(asked.json.data).toMatchObject({ eligible: errors.length === 0, errors });
    const content = { amount: lot.startingPrice, idempotency_key: randomUUID() };
    const reply = await bid(sandbox, dealer(), lot.id, content);
    expect([reply.status, reply.json.code, reply.json.errors]).toEqual([status, expected[0], expected]);
    expect(reply.json.data === null).toBe(status === 403);
    const found = await get(sandbox, dealer(), `/api/v1/bid-requests/${content.idempotency_key}`);
    expect(found.json.data.state).toBe(status === 403 ? 'absent' : 'rejected');
    sandbox.partners.update(dealer().clientId, before);
    expect((await bid(sandbox, dealer(), lot.id, { amount: lot.startingPrice })).status).toBe(201);
  });

  // rule: bid.7, limit.buyer, code.limits
  test('the limit itself is within the limit, and has not lapsed a millisecond before', async () => {
    const { startingPrice, id } = lotOf(sandbox, 'live-open');
    const limitUntil = '2026-03-01T10:00:00.001Z';
    sandbox.partners.update(dealer().clientId, { buyerLimit: startingPrice, limitUntil, emdUntil: null });
    expect((await check({ lot_id: id })).json.data.errors).toEqual([]);
    expect(await codes('live-open', 5_000)).toEqual(['DEALER_NOT_ELIGIBLE']);
    expect(await codes('live-open', 0)).toEqual([]);
  });

  // rule: bid.8, code.bidder
  test('platforms and aggregators name a buyer, and direct dealers don’t', async () => {
    const { platform, aggregator } = sandbox.credentials;
    const { id: lot_id, startingPrice } = lotOf(sandbox, 'live-closed');
    const amount = Number(startingPrice);
    for (const who of [platform, aggregator]) {
      const reply = await bid(sandbox, who, lot_id, { amount });
      const data = { status: 'rejected', bidder_status: 'no_bid' };
      expect(reply).toMatchObject({ status: 422, json: { errors: ['BIDDER_REFERENCE_REQUIRED'], data } });
      expect((await check({ lot_id }, who)).json.data.errors).toEqual(['BIDDER_REFERENCE_REQUIRED']);
      const bidder_reference = 'x'.repeat(120);
      const asked = (await check({ lot_id, bidder_reference }, who)).json.data;
      expect(asked).toMatchObject({ eligible: true, errors: [], dealer_id: who.dealerId });
      expect((await bid(sandbox, who, lot_id, { amount, bidder_reference })).status).toBe(201);
    }
    const named = await bid(sandbox, dealer(), lot_id, { amount, bidder_reference: 'cust-1' });
    expect([named.status, named.json.errors]).toEqual([422, ['DIRECT_DEALER_IDENTITY_REQUIRED']]);
    expect((await check({ lot_id, bidder_reference: 'cust-1' })).json.data.errors).toEqual(named.json.errors);
  });
});

describe('A03', () => {
  test('is the snapshot of the facts, literally', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const literal = {
      ...{ eligible: true, diagnostic_only: true, errors: [], dealer_id: 'D-204', blocked: false },
      ...{ kyc_status: 'approved', emd_status: 'approved', buyer_limit: '5000000.00' },
      limit_until: '2027-03-01T15:30:00+05:30',
      emd_until: '2027-03-01T15:30:00+05:30',
      lot_id: lot.id,
      starting_price: lot.startingPrice,
      bid_increment: '5000.00',
      notice: expect.any(String),
    };
    const reply = await check({ lot_id: lot.id });
    expect([reply.status, reply.json]).toEqual([
      200,
      { data: literal, server_time: '2026-03-01T10:00:00.000Z' },
    ]);
    const facts = { kycStatus: 'pending', emdStatus: 'pending', blocked: true, buyerLimit: '1000' } as const;
    sandbox.partners.update(dealer().clientId, {
      ...facts,
      limitUntil: '2026-04-01T00:00:00Z',
      emdUntil: null,
    });
    expect((await check({ lot_id: lotOf(sandbox, 'live-no-grid').id })).json.data).toMatchObject({
      ...{ eligible: false, errors: ['DEALER_NOT_ELIGIBLE'], kyc_status: 'pending', emd_status: 'pending' },
      ...{ blocked: true, buyer_limit: '1000.00', emd_until: null, bid_increment: '0.00' },
      limit_until: '2026-04-01T05:30:00+05:30',
    });
  });

  // rule: bid.7
  test('reserves and records nothing, and gives no hidden leader away', async () => {
    const lot = lotOf(sandbox, 'live-closed');
    sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 10_000));
    const { text, json } = await check({ lot_id: lot.id, amount: lot.startingPrice });
    expect(json.data.errors).toEqual([]);
    expect(text).not.toContain(plus(lot.startingPrice, 10_000));
    expect([sandbox.ledger().length, (await get(sandbox, dealer(), '/api/v1/bids')).json.total]).toEqual([
      1, 0,
    ]);
    expect((await bid(sandbox, dealer(), lot.id, { amount: lot.startingPrice })).json.data.lot_version).toBe(
      3,
    );
  });

  test('of a lot that is nobody’s, another’s or not assigned is a 404', async () => {
    const labels = ['other-bank', 'unassigned', 'cancelled'];
    for (const lot_id of ['lot_none', ...labels.map((label) => lotOf(sandbox, label).id)]) {
      const reply = await check({ lot_id });
      expect([reply.status, Object.keys(reply.json)], lot_id).toEqual([404, ['message']]);
    }
  });

  test.each([
    ['', 'lot_id'],
    ['lot_id=', 'lot_id'],
    ['amount=0&lot_id=x', 'amount'],
    ['amount=1.234&lot_id=x', 'amount'],
    ['amount=-5&lot_id=x', 'amount'],
    ['bidder_reference=a%20b&lot_id=x', 'bidder_reference'],
    ['lot_id=x&lot_id=y', 'lot_id'],
  ])('of "%s" is a 422 for %s', async (query, field) => {
    const reply = await get(sandbox, dealer(), '/api/v1/bidding-eligibility', query);
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
  });
});

describe('the body of a bid', () => {
  const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
  const good = { dealer_id: 'D-204', amount: '465000', idempotency_key: key };
  const post = (body: unknown, headers = {}) => {
    const path = `/api/v1/lots/${lotOf(sandbox, 'live-open').id}/bids`;
    return send(sandbox, dealer(), { path, body, headers: { 'Idempotency-Key': key, ...headers } });
  };
  const wrong: [Record<string, unknown>, string][] = [
    [{ amount: undefined }, 'amount'],
    [{ amount: null }, 'amount'],
    [{ amount: '0.00' }, 'amount'],
    [{ amount: '-5' }, 'amount'],
    [{ amount: '1.001' }, 'amount'],
    [{ amount: '1000000000000' }, 'amount'],
    [{ amount: 'a lot' }, 'amount'],
    [{ dealer_id: undefined }, 'dealer_id'],
    [{ dealer_id: 'D'.repeat(33) }, 'dealer_id'],
    [{ idempotency_key: undefined }, 'idempotency_key'],
    [{ idempotency_key: 'abc' }, 'idempotency_key'],
    [{ bidder_reference: '' }, 'bidder_reference'],
    [{ bidder_reference: 'x'.repeat(121) }, 'bidder_reference'],
    [{ bidder_reference: 'a b' }, 'bidder_reference'],
    [{ client_bid_time: '2026-03-01 10:00' }, 'client_bid_time'],
  ];
  // rule: error-shape.2, code.invalid-fields, limit.bidder-reference, limit.dealer-id, limit.amount
  test.each<[unknown, string]>([
    ...wrong.map(([change, field]) => [{ ...good, ...change }, field] as [unknown, string]),
    ['{"dealer_id":"D-204","amount":1e300,"idempotency_key":"x"}', 'amount'],
    [[good], 'body'],
    ['null', 'body'],
    ['{"amount":', 'body'],
    [`\ufeff${JSON.stringify(good)}`, 'body'],
  ])('%j is a 422 that names %s', async (body, field) => {
    const reply = await post(body);
    expect([reply.status, Object.keys(reply.json).sort()]).toEqual([422, ['errors', 'message']]);
    expect(reply.json.errors[field]).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(sandbox.ledger()).toEqual([]);
  });

  // rule: convention.2, code.key-required
  test.each([undefined, randomUUID(), key.toUpperCase(), `${key} x`])(
    'goes with no header %s',
    async (header) => {
      const { status, json } = await post(good, { 'Idempotency-Key': header });
      expect([status, json.code, json.data]).toEqual([422, 'IDEMPOTENCY_KEY_REQUIRED', null]);
      expect(sandbox.ledger()).toEqual([]);
    },
  );
});

describe('recorded bids', () => {
  // rule: page.bids, limit.fixed-pages
  test('are listed in the envelope of the framework, 25 a page, the latest first', async () => {
    const { platform, bank } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const url = (page: number) => `${sandbox.baseUrl}/bids?page=${page}`;
    const list = async (query = '', who = platform) => (await get(sandbox, who, '/api/v1/bids', query)).json;
    expect(await list()).toEqual({
      ...{ current_page: 1, last_page: 1, per_page: 25, total: 0, from: null, to: null, data: [] },
      ...{ first_page_url: url(1), last_page_url: url(1), next_page_url: null, prev_page_url: null },
      path: `${sandbox.baseUrl}/bids`,
      links: [
        { url: null, label: '&laquo; Previous', active: false },
        { url: url(1), label: '1', active: true },
        { url: null, label: 'Next &raquo;', active: false },
      ],
    });
    for (let step = 0; step < 26; step += 1) {
      const bidder_reference = step % 2 === 0 ? 'even' : 'odd';
      await bid(sandbox, platform, lot.id, {
        amount: plus(lot.startingPrice, step * 5_000),
        bidder_reference,
      });
    }
    const rejected = await bid(sandbox, platform, lot.id, { amount: '1.50', bidder_reference: 'odd' });
    const first = await list();
    expect(first).toMatchObject({ from: 1, to: 25, total: 27, last_page: 2, next_page_url: url(2) });
    expect(first.data[0]).toEqual({
      ...{
        public_id: rejected.json.data.bid_id,
        bidder_reference: 'odd',
        amount: '1.50',
        status: 'rejected',
      },
      created_at: '2026-03-01 10:00:00',
    });
    const second = await list('page=2');
    const pages = { current_page: 2, prev_page_url: url(1), next_page_url: null };
    expect(second).toMatchObject({ from: 26, to: 27, ...pages });
    expect(second.links.map((link: { active: boolean }) => link.active)).toEqual([false, false, true, false]);
    expect((await list('bidder_reference=even')).total).toBe(13);
    expect([(await list('', dealer())).total, (await list('', bank)).total]).toEqual([0, 27]);
  });

  // rule: code.not-found
  test('are read one by one by who made them, and by the bank of the lot', async () => {
    const { platform, bank } = sandbox.credentials;
    const lot = lotOf(sandbox, 'over');
    const { bid_id, request_id } = (
      await bid(sandbox, platform, lot.id, { amount: '1000', bidder_reference: 'A' })
    ).json.data;
    const read = (who: SandboxCredentials) => get(sandbox, who, `/api/v1/bids/${bid_id}`);
    const server_time = '2026-03-01T10:00:00.000Z';
    const data = {
      ...{
        id: bid_id,
        lot_id: lot.id,
        bidder_reference: 'A',
        amount: '1000.00',
        status: 'rejected',
        request_id,
      },
      ...{ server_received_at: server_time, lot_version: 1, errors: [...notLive, ...grid] },
    };
    expect((await read(platform)).json).toEqual({ data, server_time });
    expect((await read(bank)).json.data).toEqual(data);
    const hidden = await read(dealer());
    expect([hidden.status, Object.keys(hidden.json)]).toEqual([404, ['message']]);
  });
});

test('an amount as a JSON number with an exponent is that amount', async () => {
  const { id } = lotOf(sandbox, 'live-no-grid');
  const idempotency_key = randomUUID();
  const body = `{"dealer_id":"D-204","amount":1e6,"idempotency_key":"${idempotency_key}"}`;
  const path = `/api/v1/lots/${id}/bids`;
  const { status } = await send(sandbox, dealer(), {
    path,
    body,
    headers: { 'Idempotency-Key': idempotency_key },
  });
  expect([status, sandbox.ledger()[0]?.amount]).toEqual([201, '1000000.00']);
});
