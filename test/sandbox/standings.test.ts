import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

describe('standings', () => {
  const lotView = async (label: string, who = sandbox.credentials.dealer, query = '', index = 0) => {
    const path = `/api/v1/events/${sandbox.auctions.get(label).id}/lots/${lotOf(sandbox, label, index).id}`;
    return (await get(sandbox, who, path, query)).json.data;
  };

  // rule: bid-state.accepted, bid-state.standings
  test('no bid, leading, outbid, leading again', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const price = (steps: number) => plus(lot.startingPrice, steps * 5000);
    expect(await lotView('live-open')).toMatchObject({
      own_amount: null,
      bidder_status: 'no_bid',
      channel_status: 'no_bid',
      highest_amount: null,
    });
    await bid(sandbox, dealer, lot.id, { amount: price(0) });
    expect(await lotView('live-open')).toMatchObject({
      own_amount: price(0),
      bidder_status: 'leading',
      channel_status: 'leading',
      highest_amount: price(0),
    });
    sandbox.actors.rival.bid(lot.id, price(1));
    expect(await lotView('live-open')).toMatchObject({
      own_amount: price(0),
      bidder_status: 'outbid',
      channel_status: 'no_bid',
      highest_amount: price(1),
    });
    const won = await bid(sandbox, dealer, lot.id, { amount: price(2) });
    expect(won.json.data).toMatchObject({ bidder_status: 'leading', lot_version: 4 });
    const lost = await bid(sandbox, dealer, lot.id, { amount: price(2) });
    expect(lost.json.data).toMatchObject({ status: 'rejected', bidder_status: 'leading', lot_version: 4 });
    expect(lost.json.data).not.toHaveProperty('current_amount');
  });

  // rule: event-state.over, bid.4
  test('closed auctions hide the highest amount everywhere', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed');
    sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 50_000));
    const made = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect(made.json.data).toMatchObject({
      status: 'accepted',
      bidder_status: 'outbid',
      channel_status: 'no_bid',
    });
    const rejected = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    const view = await lotView('live-closed');
    expect(view).toMatchObject({ own_amount: lot.startingPrice, bidder_status: 'outbid' });
    const status = (await get(sandbox, dealer, `/api/v1/lots/${lot.id}/status`)).json.data;
    for (const shown of [made.json.data, rejected.json.data, view, status]) {
      expect(shown).not.toHaveProperty('highest_amount');
      expect(shown).not.toHaveProperty('current_amount');
      expect(JSON.stringify(shown)).not.toContain(plus(lot.startingPrice, 50_000).slice(0, -3));
    }
  });

  // rule: bid-state.standings
  test('a platform’s buyers stand apart, its channel together', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    await bid(sandbox, platform, lot.id, { amount: lot.startingPrice, bidder_reference: 'A' });
    await bid(sandbox, platform, lot.id, { amount: plus(lot.startingPrice, 5000), bidder_reference: 'B' });
    const of = (buyer: string) => lotView('live-open', platform, `bidder_reference=${buyer}`);
    expect(await of('A')).toMatchObject({ bidder_status: 'outbid', channel_status: 'leading' });
    expect(await of('B')).toMatchObject({ bidder_status: 'leading', channel_status: 'leading' });
    expect(await of('C')).toMatchObject({ bidder_status: 'no_bid', own_amount: null });
    const nobody = await lotView('live-open', platform);
    expect(nobody).not.toHaveProperty('own_amount');
    expect(nobody).not.toHaveProperty('bidder_status');
    expect(nobody.channel_status).toBe('leading');
    expect(await lotView('live-open')).toMatchObject({ bidder_status: 'no_bid', channel_status: 'no_bid' });
    const aggregator = await lotView('live-open', sandbox.credentials.aggregator, 'bidder_reference=A');
    expect(aggregator).toMatchObject({ bidder_status: 'no_bid', own_amount: null, channel_status: 'no_bid' });
  });

  // rule: general.3
  test('nobody is ever shown another dealer', async () => {
    const { dealer, rival } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const { bidId } = sandbox.actors.rival.bid(lot.id, lot.startingPrice);
    const texts = await Promise.all(
      [
        `/api/v1/events/${sandbox.auctions.get('live-open').id}/lots`,
        '/api/v1/lots',
        `/api/v1/lots/${lot.id}/status`,
        '/api/v1/bids',
        `/api/v1/bids/${bidId}`,
      ].map(async (path) => (await get(sandbox, dealer, path)).text),
    );
    for (const text of texts) {
      expect(text).not.toContain(rival.dealerId);
      expect(text).not.toContain(rival.clientId);
      expect(text).not.toContain(bidId);
    }
  });

  test('a bank sees lots without a standing of its own, and names no buyer', async () => {
    const { bank } = sandbox.credentials;
    const view = await lotView('live-open', bank);
    expect(view).not.toHaveProperty('own_amount');
    expect(view).not.toHaveProperty('bidder_status');
    const path = `/api/v1/events/${sandbox.auctions.get('live-open').id}/lots`;
    const named = await get(sandbox, bank, path, 'bidder_reference=A');
    expect([named.status, Object.keys(named.json.errors)]).toEqual([422, ['bidder_reference']]);
  });

  test('of equal bids the first leads', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed');
    sandbox.actors.rival.bid(lot.id, lot.startingPrice);
    const made = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect(made.json.data.bidder_status).toBe('outbid');
  });

  test('of equal bids of one buyer the latest counts, and is what the award rests on', async () => {
    const { dealer, bank } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-no-grid');
    await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    const again = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect(again.status).toBe(201);
    sandbox.auctions.close('live-no-grid');
    const [sale] = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data.items;
    expect(sale.data.bid_id).toBe(again.json.data.bid_id);
  });

  test('two partners linked to one dealer are told nothing of each other', async () => {
    const { dealer, rival } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed');
    sandbox.partners.update(rival.clientId, { dealerId: 'D-204' });
    await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect(await lotView('live-closed', rival)).toMatchObject({ own_amount: null, bidder_status: 'no_bid' });
  });
});
