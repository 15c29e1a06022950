import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AccessFacts,
  type Sandbox,
  type SandboxCredentials,
  startSandbox,
} from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const path = '/api/v1/bidding-eligibility';

/** Asks A03; the query is made canonical by hand. */
const check = (asked: Record<string, string>, who: SandboxCredentials = sandbox.credentials.dealer) =>
  get(
    sandbox,
    who,
    path,
    Object.entries(asked)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .sort()
      .join('&'),
  );

test('the snapshot, literally', async () => {
  const lot = lotOf(sandbox, 'live-open');
  const reply = await check({ lot_id: lot.id });
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    data: {
      eligible: true,
      diagnostic_only: true,
      errors: [],
      dealer_id: 'D-204',
      kyc_status: 'approved',
      emd_status: 'approved',
      blocked: false,
      buyer_limit: '5000000.00',
      limit_until: '2027-03-01T15:30:00+05:30',
      emd_until: '2027-03-01T15:30:00+05:30',
      lot_id: lot.id,
      starting_price: lot.startingPrice,
      bid_increment: '5000.00',
      notice: expect.stringMatching(/nothing is reserved/),
    },
    server_time: '2026-03-01T10:00:00.000Z',
  });
});

test('it tells the facts as they are', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-no-grid');
  sandbox.partners.update(dealer.clientId, {
    kycStatus: 'pending',
    emdStatus: 'pending',
    blocked: true,
    buyerLimit: '1000',
    limitUntil: '2026-04-01T00:00:00Z',
    emdUntil: null,
  });
  expect((await check({ lot_id: lot.id })).json.data).toMatchObject({
    eligible: false,
    errors: ['DEALER_NOT_ELIGIBLE'],
    kyc_status: 'pending',
    emd_status: 'pending',
    blocked: true,
    buyer_limit: '1000.00',
    limit_until: '2026-04-01T05:30:00+05:30',
    emd_until: null,
    bid_increment: '0.00',
  });
});

describe('with an amount: what that bid would meet', () => {
  test.each<[string, string, number, string[]]>([
    ['the opening', 'live-open', 0, []],
    ['one step up', 'live-open', 5_000, []],
    ['off the grid', 'live-open', 2_500, ['BID_OFF_OPENING_GRID']],
    ['below the opening', 'live-open', -5_000, ['BID_OFF_OPENING_GRID']],
    ['above the limit', 'live-open', 5_000_000, ['DEALER_NOT_ELIGIBLE']],
    ['the opening of a legacy auction', 'live-legacy', 0, ['BID_BELOW_MINIMUM']],
    ['one step above it', 'live-legacy', 1_000, []],
    ['a rupee below, without a grid', 'live-no-grid', -1, ['BID_BELOW_MINIMUM']],
    ['before the start', 'upcoming', 0, ['LOT_NOT_LIVE']],
    ['after the close', 'over', 0, ['LOT_NOT_LIVE']],
  ])('%s', async (_, label, extra, errors) => {
    const lot = lotOf(sandbox, label);
    const amount = plus(lot.startingPrice, extra);
    const { data } = (await check({ lot_id: lot.id, amount })).json;
    expect([data.eligible, data.errors]).toEqual([errors.length === 0, errors]);
    const reply = await bid(sandbox, sandbox.credentials.dealer, lot.id, { amount });
    expect(reply.json.errors).toEqual(errors);
  });

  test('under a higher bid; without an amount nothing speaks against one', async () => {
    const lot = lotOf(sandbox, 'live-open');
    sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 10_000));
    const at = async (extra: number) =>
      (await check({ lot_id: lot.id, amount: plus(lot.startingPrice, extra) })).json.data.errors;
    expect(await at(10_000)).toEqual(['BID_BELOW_MINIMUM']);
    expect(await at(12_500)).toEqual(['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM']);
    expect(await at(15_000)).toEqual([]);
    expect((await check({ lot_id: lot.id })).json.data).toMatchObject({ eligible: true, errors: [] });
  });

  test('in a closed auction the hidden leader is not given away', async () => {
    const lot = lotOf(sandbox, 'live-closed');
    sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 10_000));
    const { text, json } = await check({ lot_id: lot.id, amount: lot.startingPrice });
    expect(json.data.errors).toEqual([]);
    expect(text).not.toContain(plus(lot.startingPrice, 10_000));
  });
});

describe('what keeps a caller from bidding', () => {
  const facts: [string, Partial<AccessFacts>][] = [
    ['KYC pending', { kycStatus: 'pending' }],
    ['EMD pending', { emdStatus: 'pending' }],
    ['blocked', { blocked: true }],
    ['above the limit', { buyerLimit: '1.00' }],
    ['limit lapsed', { limitUntil: '2026-03-01T10:00:00Z' }],
    ['EMD lapsed', { emdUntil: '2026-03-01T10:00:00Z' }],
    ['both lapsed, and blocked', { limitUntil: 0, emdUntil: 0, blocked: true }],
    ['a dealer that isn’t there', { dealerExists: false }],
    ['lot not granted', { resourceGranted: false }],
    ['channel not granted', { channelGranted: false }],
    ['no tie to the client, no KYC', { buyerEntitled: false, kycStatus: 'pending' }],
    ['no scope to bid', { scopes: ['eligibility:read'], blocked: true }],
  ];
  // rule: bid.7
  test.each(facts)('%s: the codes that the bid then gets', async (_, change) => {
    const { dealer } = sandbox.credentials;
    sandbox.partners.update(dealer.clientId, change);
    const lot = lotOf(sandbox, 'live-open');
    const { data } = (await check({ lot_id: lot.id, amount: lot.startingPrice })).json;
    const reply = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect(data.eligible).toBe(false);
    expect(data.errors).not.toEqual([]);
    expect(data.errors).toEqual(reply.json.errors);
  });

  test('no linked dealer', async () => {
    const { clientId } = sandbox.credentials.dealer;
    sandbox.partners.update(clientId, { dealerId: null });
    const { data } = (await check({ lot_id: lotOf(sandbox, 'live-open').id })).json;
    expect([data.dealer_id, data.errors]).toEqual([null, ['BUYER_NOT_ELIGIBLE']]);
  });

  test('the limit counts with an amount only', async () => {
    sandbox.partners.update(sandbox.credentials.dealer.clientId, { buyerLimit: '1.00' });
    const lot = lotOf(sandbox, 'live-open');
    expect((await check({ lot_id: lot.id })).json.data.errors).toEqual([]);
    expect((await check({ lot_id: lot.id, amount: lot.startingPrice })).json.data.errors).toEqual([
      'DEALER_NOT_ELIGIBLE',
    ]);
  });

  test('platforms and aggregators name a buyer, direct dealers don’t', async () => {
    const { platform, aggregator } = sandbox.credentials;
    const { id: lot_id } = lotOf(sandbox, 'live-open');
    for (const who of [platform, aggregator]) {
      expect((await check({ lot_id }, who)).json.data.errors).toEqual(['BIDDER_REFERENCE_REQUIRED']);
      expect((await check({ lot_id, bidder_reference: 'cust-1' }, who)).json.data).toMatchObject({
        eligible: true,
        errors: [],
        dealer_id: who.dealerId,
      });
    }
    expect((await check({ lot_id, bidder_reference: 'cust-1' })).json.data.errors).toEqual([
      'DIRECT_DEALER_IDENTITY_REQUIRED',
    ]);
  });

  test('one buyer’s own bid binds that buyer alone, in a closed auction', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed');
    const amount = lot.startingPrice;
    await bid(sandbox, platform, lot.id, { amount, bidder_reference: 'cust-1' });
    const of = async (bidder_reference: string) =>
      (await check({ lot_id: lot.id, amount, bidder_reference }, platform)).json.data.errors;
    expect([await of('cust-1'), await of('cust-2')]).toEqual([['BID_BELOW_MINIMUM'], []]);
  });
});

// rule: bid.7
test('it reserves and records nothing', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  for (let n = 0; n < 3; n += 1) await check({ lot_id: lot.id, amount: '5000000' });
  expect(sandbox.ledger()).toEqual([]);
  expect((await get(sandbox, dealer, '/api/v1/bids')).json.total).toBe(0);
  const reply = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  expect([reply.status, reply.json.data.lot_version]).toEqual([201, 2]);
});

test('lots that are nobody’s, another’s, or gone are a 404', async () => {
  const gone = lotOf(sandbox, 'live-open').id;
  sandbox.auctions.withdraw(gone);
  const labels = ['other-bank', 'unassigned', 'cancelled'];
  for (const lot_id of ['lot_none', gone, ...labels.map((label) => lotOf(sandbox, label).id)]) {
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
])('"%s" is invalid', async (query, field) => {
  const reply = await get(sandbox, sandbox.credentials.dealer, path, query);
  expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
});

test('partners only, with the scope', async () => {
  const { bank, dealer } = sandbox.credentials;
  const { id: lot_id } = lotOf(sandbox, 'live-open');
  expect((await check({ lot_id }, bank)).json.code).toBe('SCOPE_DENIED');
  sandbox.partners.update(dealer.clientId, { scopes: ['bids:write', 'catalogue:read'] });
  const refused = await check({ lot_id });
  expect([refused.status, refused.json.code]).toEqual([403, 'SCOPE_DENIED']);
});
