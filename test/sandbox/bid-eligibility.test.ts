import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AccessFacts, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

/** Bids as the dealer and tells status and codes. */
async function codes(label: string, extra: number, index = 0): Promise<[number, string[]]> {
  const lot = lotOf(sandbox, label, index);
  const { status, json } = await bid(sandbox, sandbox.credentials.dealer, lot.id, {
    amount: plus(lot.startingPrice, extra),
  });
  return [status, json.errors];
}
describe('rules 7 and 8: who may bid', () => {
  // rule: bid.7, limit.buyer
  test('the limit itself is within the limit', async () => {
    const { clientId } = sandbox.credentials.dealer;
    const lot = lotOf(sandbox, 'live-open');
    sandbox.partners.update(clientId, { buyerLimit: lot.startingPrice });
    expect(await codes('live-open', 5000)).toEqual([422, ['DEALER_NOT_ELIGIBLE']]);
    expect(await codes('live-open', 0)).toEqual([201, []]);
  });

  const refused: [string, Partial<AccessFacts>, string[]][] = [
    ['limit lapsed', { limitUntil: '2026-03-01T10:00:00Z' }, ['BUYER_LIMIT_EXPIRED']],
    ['EMD lapsed', { emdUntil: '2026-03-01T10:00:00Z' }, ['EMD_EXPIRED']],
    [
      'both lapsed',
      { limitUntil: '2026-02-01T00:00:00Z', emdUntil: '2026-02-01T00:00:00Z' },
      ['BUYER_LIMIT_EXPIRED', 'EMD_EXPIRED'],
    ],
    ['another dealer linked', { dealerId: 'D-999' }, ['BUYER_NOT_ELIGIBLE']],
    ['no dealer linked', { dealerId: null }, ['BUYER_NOT_ELIGIBLE']],
    ['auction not assigned', { auctions: [] }, ['AUCTION_ACCESS_DENIED']],
  ];
  // rule: bid.7, code.buyer, code.limits
  test.each(refused)('%s: refused, nothing recorded', async (_, change, expected) => {
    const { dealer } = sandbox.credentials;
    const before = sandbox.partners.get(dealer.clientId);
    sandbox.partners.update(dealer.clientId, change);
    const lot = lotOf(sandbox, 'live-open');
    const content = { amount: lot.startingPrice, idempotency_key: randomUUID() };
    const reply = await bid(sandbox, dealer, lot.id, content);
    expect(reply.status).toBe(403);
    expect([reply.json.code, reply.json.errors, reply.json.data]).toEqual([expected[0], expected, null]);
    const found = await get(sandbox, dealer, `/api/v1/bid-requests/${content.idempotency_key}`);
    expect(found.json.data.state).toBe('absent');
    expect((await get(sandbox, dealer, '/api/v1/bids')).json.total).toBe(0);
    sandbox.partners.update(dealer.clientId, before);
    expect((await bid(sandbox, dealer, lot.id, content)).status).toBe(201);
  });

  // rule: code.limits
  test('not yet lapsed a millisecond before', async () => {
    sandbox.partners.update(sandbox.credentials.dealer.clientId, {
      limitUntil: '2026-03-01T10:00:00.001Z',
      emdUntil: null,
    });
    expect(await codes('live-open', 0)).toEqual([201, []]);
  });

  // rule: bid.7, access.assignment, code.assignment
  test('lots that are another bank’s, or assigned to others, or nobody’s', async () => {
    expect(await codes('other-bank', 0)).toEqual([403, ['BANK_ACCESS_DENIED']]);
    expect(await codes('unassigned', 0)).toEqual([403, ['AUCTION_ACCESS_DENIED']]);
    const { dealer } = sandbox.credentials;
    const nobodys = await bid(sandbox, dealer, 'lot_none', { amount: '1000.00' });
    expect([nobodys.status, Object.keys(nobodys.json)]).toEqual([404, ['message']]);
  });

  // rule: bid.8, code.bidder
  test('platforms and aggregators name a buyer, direct dealers don’t', async () => {
    const { dealer, platform, aggregator } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const amount = lot.startingPrice;
    for (const who of [platform, aggregator]) {
      const reply = await bid(sandbox, who, lot.id, { amount });
      expect([reply.status, reply.json.errors]).toEqual([422, ['BIDDER_REFERENCE_REQUIRED']]);
      expect(reply.json.data.status).toBe('rejected');
      expect(reply.json.data.bidder_status).toBe('no_bid');
    }
    const named = await bid(sandbox, dealer, lot.id, { amount, bidder_reference: 'cust-1' });
    expect([named.status, named.json.errors]).toEqual([422, ['DIRECT_DEALER_IDENTITY_REQUIRED']]);
    expect(
      (await bid(sandbox, aggregator, lot.id, { amount, bidder_reference: 'x'.repeat(120) })).status,
    ).toBe(201);
  });

  test('a bank doesn’t bid', async () => {
    const { bank } = sandbox.credentials;
    const reply = await bid(sandbox, bank, lotOf(sandbox, 'live-open').id, {
      amount: '1.00',
      dealer_id: 'D-204',
    });
    expect([reply.status, reply.json.code]).toEqual([403, 'SCOPE_DENIED']);
  });
});
