import { expect, test } from 'vitest';
import { bid, freshSandbox, get, lotOf, plus, sandbox } from './caller.js';

freshSandbox();

const lotView = async (label: string, who = sandbox.credentials.dealer, query = '') => {
  const path = `/api/v1/events/${sandbox.auctions.get(label).id}/lots/${lotOf(sandbox, label).id}`;
  return (await get(sandbox, who, path, query)).json.data;
};

// rule: bid-state.accepted, bid-state.standings
test('a dealer has no bid, leads, is outbid, and leads again', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const price = (steps: number) => plus(lot.startingPrice, steps * 5_000);
  const shows = async (...expected: (string | null)[]) => {
    const view = await lotView('live-open');
    const shown = [view.own_amount, view.bidder_status, view.channel_status, view.highest_amount];
    expect(shown).toEqual(expected);
  };
  await shows(null, 'no_bid', 'no_bid', null);
  await bid(sandbox, dealer, lot.id, { amount: price(0) });
  await shows(price(0), 'leading', 'leading', price(0));
  sandbox.actors.rival.bid(lot.id, price(1));
  await shows(price(0), 'outbid', 'no_bid', price(1));
  const won = await bid(sandbox, dealer, lot.id, { amount: price(2) });
  expect(won.json.data).toMatchObject({ bidder_status: 'leading', lot_version: 4 });
  const lost = await bid(sandbox, dealer, lot.id, { amount: price(2) });
  expect(lost.json.data).toMatchObject({ status: 'rejected', bidder_status: 'leading', lot_version: 4 });
  expect(lost.json.data).not.toHaveProperty('current_amount');
});

// rule: event-state.over, bid.4
test('a closed auction hides the highest amount everywhere', async () => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-closed');
  sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 50_000));
  const made = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  const outbid = { bidder_status: 'outbid', channel_status: 'no_bid' };
  expect(made.json.data).toMatchObject({ status: 'accepted', ...outbid });
  const rejected = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  const view = await lotView('live-closed');
  expect(view).toMatchObject({ own_amount: lot.startingPrice, ...outbid });
  const status = (await get(sandbox, dealer, `/api/v1/lots/${lot.id}/status`)).json.data;
  for (const shown of [made.json.data, rejected.json.data, view, status]) {
    expect(shown).not.toHaveProperty('highest_amount');
    expect(shown).not.toHaveProperty('current_amount');
    expect(JSON.stringify(shown)).not.toContain(plus(lot.startingPrice, 50_000).slice(0, -3));
  }
});

// rule: bid-state.standings
test('a platform’s buyers stand apart, its channel together', async () => {
  const { platform, aggregator } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  await bid(sandbox, platform, lot.id, { amount: lot.startingPrice, bidder_reference: 'A' });
  await bid(sandbox, platform, lot.id, { amount: plus(lot.startingPrice, 5_000), bidder_reference: 'B' });
  const of = (buyer: string, who = platform) => lotView('live-open', who, `bidder_reference=${buyer}`);
  expect(await of('A')).toMatchObject({ bidder_status: 'outbid', channel_status: 'leading' });
  expect(await of('B')).toMatchObject({ bidder_status: 'leading', channel_status: 'leading' });
  expect(await of('C')).toMatchObject({ bidder_status: 'no_bid', own_amount: null });
  const nobody = await lotView('live-open', platform);
  expect(Object.keys(nobody)).not.toEqual(expect.arrayContaining(['own_amount']));
  expect(nobody).not.toHaveProperty('bidder_status');
  expect(nobody.channel_status).toBe('leading');
  const none = { bidder_status: 'no_bid', own_amount: null, channel_status: 'no_bid' };
  expect(await lotView('live-open')).toMatchObject(none);
  expect(await of('A', aggregator)).toMatchObject(none);
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

test('of equal bids of two buyers the first leads, and of one buyer the latest is awarded', async () => {
  const { dealer, bank } = sandbox.credentials;
  const sealed = lotOf(sandbox, 'live-closed');
  sandbox.actors.rival.bid(sealed.id, sealed.startingPrice);
  const second = await bid(sandbox, dealer, sealed.id, { amount: sealed.startingPrice });
  expect(second.json.data.bidder_status).toBe('outbid');
  const lot = lotOf(sandbox, 'live-no-grid');
  await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  const again = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
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
