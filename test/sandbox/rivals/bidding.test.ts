import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RivalBidError, type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { bid, get, lotOf, plus } from '../caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const next = (label: string) => sandbox.actors.rival.bidNext(lotOf(sandbox, label).id).amount;
const dealerBids = async (label: string, extra: number) => {
  const lot = lotOf(sandbox, label);
  const { status } = await bid(sandbox, sandbox.credentials.dealer, lot.id, {
    amount: plus(lot.startingPrice, extra),
  });
  expect(status).toBe(201);
};

describe('the next valid bid', () => {
  it('is the opening, then a step above the highest in an open auction', async () => {
    const { startingPrice } = lotOf(sandbox, 'live-open');
    expect(next('live-open')).toBe(startingPrice);
    await dealerBids('live-open', 20_000);
    expect(next('live-open')).toBe(plus(startingPrice, 25_000));
  });

  it('is a step above its own in a closed auction, whatever others bid', async () => {
    const { startingPrice } = lotOf(sandbox, 'live-closed');
    await dealerBids('live-closed', 100_000);
    expect(next('live-closed')).toBe(startingPrice);
    expect(next('live-closed')).toBe(plus(startingPrice, 2_500));
  });

  it('is a step above the opening, then above the highest in a legacy auction', async () => {
    const { startingPrice } = lotOf(sandbox, 'live-legacy');
    expect(next('live-legacy')).toBe(plus(startingPrice, 1_000));
    await dealerBids('live-legacy', 5_000);
    expect(next('live-legacy')).toBe(plus(startingPrice, 6_000));
  });

  it('is one per cent of the opening above the highest where there is no grid, and leads', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-no-grid');
    const percent = Math.floor(Number(startingPrice) / 100);
    expect(next('live-no-grid')).toBe(startingPrice);
    await dealerBids('live-no-grid', 777);
    expect(next('live-no-grid')).toBe(plus(startingPrice, 777 + percent));
    const { json } = await get(sandbox, sandbox.credentials.dealer, `/api/v1/lots/${id}/status`);
    expect(json.data).toMatchObject({ own_standing: 'outbid' });
  });

  it.each([
    ['999.99', '1008.99'],
    ['40.00', '41.00'],
  ])('is whole rupees above, and one at least: %s', (starting_price, above) => {
    const [lot] = sandbox.auctions.add({
      label: 'cheap',
      name: 'Odds and ends',
      bid_type: 'open',
      increment: '0',
      opens: 0,
      closes: 60,
      lots: [{ starting_price }],
    }).lots;
    expect(sandbox.actors.rival.bidNext(lot?.id ?? '').amount).toBe(starting_price);
    expect(sandbox.actors.rival.bidNext(lot?.id ?? '').amount).toBe(above);
  });

  it('is committed like any bid, and shown to nobody as the rival’s', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const { bidId, lotVersion } = sandbox.actors.rival.bidNext(id);
    expect(lotVersion).toBe(2);
    expect(sandbox.ledger()).toMatchObject([
      {
        kind: 'bid',
        operation: 'bids.submit',
        recordId: bidId,
        clientId: sandbox.credentials.rival.clientId,
        amount: startingPrice,
      },
    ]);
    const seen = await get(sandbox, sandbox.credentials.dealer, `/api/v1/bids/${bidId}`);
    expect(seen.status).toBe(404);
    expect((await get(sandbox, sandbox.credentials.rival, `/api/v1/bids/${bidId}`)).status).toBe(200);
  });

  it('is refused like any bid, with the codes', () => {
    const lot = lotOf(sandbox, 'live-open').id;
    sandbox.partners.update(sandbox.actors.rival.clientId, { blocked: true });
    expect(caught(() => sandbox.actors.rival.bidNext(lot))).toMatchObject({ codes: ['DEALER_NOT_ELIGIBLE'] });
    expect(caught(() => sandbox.actors.rival.bidNext(lotOf(sandbox, 'over').id))).toMatchObject({
      codes: ['LOT_NOT_LIVE', 'DEALER_NOT_ELIGIBLE'],
    });
    expect(caught(() => sandbox.actors.rival.bidNext('lot_none'))).toBeInstanceOf(RangeError);
    expect(sandbox.ledger()).toEqual([]);
  });
});

describe('more rivals', () => {
  it('are dealers of their own, by name', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const second = sandbox.actors.rival.as('second');
    expect(sandbox.actors.rival.as('second')).toBe(second);
    expect(second.as('third')).toBe(sandbox.actors.rival.as('third'));
    sandbox.actors.rival.bidNext(id);
    second.bidNext(id);
    expect(sandbox.actors.rival.as('third').bidNext(id).amount).toBe(plus(startingPrice, 10_000));
    expect(sandbox.ledger().map(({ clientId }) => clientId)).toEqual([
      'client_sbx_rival',
      'client_sbx_rival_second',
      'client_sbx_rival_third',
    ]);
    const dealers = ['client_sbx_rival', 'client_sbx_rival_second', 'client_sbx_rival_third'].map(
      (client) => sandbox.partners.get(client).dealerId,
    );
    expect(new Set(dealers).size).toBe(3);
  });

  it('have standings of their own in closed auctions', () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-closed');
    sandbox.actors.rival.bidNext(id);
    expect(sandbox.actors.rival.as('second').bidNext(id).amount).toBe(startingPrice);
    expect(sandbox.actors.rival.bidNext(id).amount).toBe(plus(startingPrice, 2_500));
  });

  it('lose their rights apart', () => {
    const { id } = lotOf(sandbox, 'live-open');
    const second = sandbox.actors.rival.as('second');
    sandbox.partners.update(second.clientId, { auctions: [] });
    expect(() => second.bidNext(id)).toThrow(RivalBidError);
    expect(() => sandbox.actors.rival.bidNext(id)).not.toThrow();
  });

  it.each(['', 'two words', 'x'.repeat(31), 'naïve', '../up'])('are not named %j', (name) => {
    expect(() => sandbox.actors.rival.as(name)).toThrow(RangeError);
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
