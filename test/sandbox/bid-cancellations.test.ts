import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxCredentials, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus } from './caller.js';
import { approval, command, done, picture, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const path = '/api/v1/bid-cancellation-requests';
const asked = { reason_code: 'WRONG_AMOUNT', explanation: 'One zero too many' };
const approved = { decision: 'approved', reason: 'A typing error', expected_version: 1 };

const request = (bidId: string, who = sandbox.credentials.dealer) =>
  command(sandbox, who, `/api/v1/bids/${bidId}/cancellation-requests`, asked);
const decide = (id: string, change: Record<string, unknown> = {}, who = sandbox.credentials.bank) =>
  command(sandbox, who, `${path}/${id}/decisions`, { ...approved, ...change });
const list = async (who: SandboxCredentials, query = '') => (await get(sandbox, who, path, query)).json.data;

/** Bids `extra` rupees above the opening of a lot, and returns the bid's id. */
async function placed(who: SandboxCredentials, label: string, extra: number, bidder_reference?: string) {
  const lot = lotOf(sandbox, label);
  const amount = plus(lot.startingPrice, extra);
  const got = await bid(sandbox, who, lot.id, { amount, ...(bidder_reference && { bidder_reference }) });
  if (got.status !== 201) throw new Error(got.text);
  return String(got.json.data.bid_id);
}

/** Asks for the cancellation of a bid and approves it. */
async function cancelled(bidId: string, who = sandbox.credentials.dealer) {
  const { id } = await done(request(bidId, who));
  return done(decide(id));
}

/** What a buyer sees of its own and of the others. */
async function standing(who: SandboxCredentials, label: string, buyer?: string) {
  const event = sandbox.auctions.get(label).id;
  const url = `/api/v1/events/${event}/lots/${lotOf(sandbox, label).id}`;
  const { data } = (await get(sandbox, who, url, buyer === undefined ? '' : `bidder_reference=${buyer}`))
    .json;
  return [data.bidder_status, data.own_amount, data.highest_amount, data.channel_status];
}

const at = (label: string, extra: number) => plus(lotOf(sandbox, label).startingPrice, extra);

describe('A07 and A08: requests', () => {
  // rule: page.in-data
  it('are listed for the bank and for the partner whose bid it is, newest first', async () => {
    const { dealer, platform, bank } = sandbox.credentials;
    const first = await done(request(await placed(dealer, 'live-open', 0)));
    sandbox.clock.advance(1_000);
    const second = await done(request(await placed(platform, 'live-open', 5_000, 'A'), platform));
    expect(await list(bank)).toEqual({
      items: [second, first],
      current_page: 1,
      last_page: 1,
      total: 2,
    });
    expect((await list(dealer)).items).toEqual([first]);
    expect((await list(platform)).items).toEqual([second]);
    expect((await list(sandbox.credentials.rival)).items).toEqual([]);
  });

  it('tell bank and buyer', async () => {
    const { dealer, bank } = sandbox.credentials;
    const { data } = await cancelled(await placed(dealer, 'live-open', 0));
    for (const who of [dealer, bank]) {
      const notices = (await get(sandbox, who, '/api/v1/notifications')).json.data;
      expect(notices).toMatchObject([
        { type: 'bid.cancellation_approved', resource_version: 2 },
        { type: 'bid.cancellation_requested', resource_version: 1 },
      ]);
      expect(notices[0].subject).toContain(data.bid_id);
    }
    expect((await get(sandbox, sandbox.credentials.rival, '/api/v1/notifications')).json.data).toEqual([]);
  });

  // rule: limit.fixed-pages
  it('page by 25, and ignore filters, which the text does not name', async () => {
    const { dealer, bank } = sandbox.credentials;
    for (let step = 0; step < 26; step += 1) {
      await done(request(await placed(dealer, 'live-open', step * 5_000)));
    }
    const [one, two] = [await list(bank), await list(bank, 'page=2')];
    expect([one.items.length, one.last_page, one.total]).toEqual([25, 2, 26]);
    expect([two.items.length, two.current_page]).toEqual([1, 2]);
    const filtered = await get(sandbox, bank, path, 'status=pending');
    expect([filtered.status, filtered.headers.get('x-sandbox-hint')]).toEqual([
      200,
      'ignored, for the operation does not list them: parameter status',
    ]);
  });

  // rule: error-shape.3
  it('are refused while one is pending, and after the cancellation', async () => {
    const { dealer } = sandbox.credentials;
    const bidId = await placed(dealer, 'live-open', 0);
    const { id } = await done(request(bidId));
    const before = await picture(sandbox);
    const twice = await request(bidId);
    expect([twice.status, twice.json]).toEqual([
      409,
      { message: 'A request to cancel this bid waits for its decision.' },
    ]);
    expect(await picture(sandbox)).toEqual(before);
    await done(decide(id));
    const late = await request(bidId);
    expect([late.status, Object.keys(late.json)]).toEqual([409, ['message']]);
  });
});

describe('A09: the decision', () => {
  // rule: state.cancellation, version.2
  it('approves, literally', async () => {
    const { dealer, bank } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const bidId = await placed(dealer, 'live-open', 0);
    const { id } = await done(request(bidId));
    sandbox.clock.advance(5_000);
    const body = { idempotency_key: randomUUID() };
    const got = await decide(id, body);
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      data: {
        id,
        kind: 'cancellation',
        state: 'approved',
        resource_version: 2,
        data: {
          bid_id: bidId,
          reason_code: 'WRONG_AMOUNT',
          explanation: 'One zero too many',
          policy_version: '1',
          decision: 'approved',
          reason: 'A typing error',
        },
        created_at: '2026-03-01T10:00:00.000Z',
        updated_at: '2026-03-01T10:00:05.000Z',
      },
      request_id: expect.stringMatching(/^req_/),
      server_time: '2026-03-01T10:00:05.000Z',
    });
    expect((await list(dealer)).items).toEqual([got.json.data]);
    expect(sandbox.ledger().filter(({ operation }) => operation === 'A09')).toEqual([
      {
        kind: 'cancellation',
        operation: 'A09',
        call: 'bidCancellations.decide',
        recordId: id,
        idempotencyKey: body.idempotency_key,
        clientId: bank.clientId,
        lotId: lot.id,
        bidId,
        at: Date.parse('2026-03-01T10:00:05Z'),
      },
    ]);
  });

  it('leaves the bid accepted where it is read: the text has no other status, and nothing is deleted', async () => {
    const { dealer } = sandbox.credentials;
    const bidId = await placed(dealer, 'live-open', 0);
    const before = await get(sandbox, dealer, `/api/v1/bids/${bidId}`);
    await cancelled(bidId);
    expect((await get(sandbox, dealer, `/api/v1/bids/${bidId}`)).json).toEqual(before.json);
    const { data } = (await get(sandbox, dealer, '/api/v1/bids')).json;
    expect(data).toMatchObject([{ public_id: bidId, status: 'accepted' }]);
  });
});

describe('the standings after a cancellation', () => {
  // rule: state.cancellation
  it('fall back to the other buyers’: superseded bids do not revive', async () => {
    const { dealer, rival } = sandbox.credentials;
    await placed(dealer, 'live-open', 0);
    await placed(rival, 'live-open', 5_000);
    const latest = await placed(dealer, 'live-open', 10_000);
    expect(await standing(dealer, 'live-open')).toEqual([
      'leading',
      at('live-open', 10_000),
      at('live-open', 10_000),
      'leading',
    ]);
    await cancelled(latest);
    expect(await standing(dealer, 'live-open')).toEqual(['no_bid', null, at('live-open', 5_000), 'no_bid']);
    expect(await standing(rival, 'live-open')).toEqual([
      'leading',
      at('live-open', 5_000),
      at('live-open', 5_000),
      'leading',
    ]);
    const lot = lotOf(sandbox, 'live-open');
    const low = await bid(sandbox, dealer, lot.id, { amount: at('live-open', 5_000) });
    expect(low.json.errors).toEqual(['BID_BELOW_MINIMUM']);
    const next = await bid(sandbox, dealer, lot.id, { amount: at('live-open', 10_000) });
    // Three accepted bids and the cancellation came before, from version 1 on.
    expect([next.status, next.json.data.lot_version]).toEqual([201, 6]);
    expect(await standing(dealer, 'live-open')).toEqual([
      'leading',
      at('live-open', 10_000),
      at('live-open', 10_000),
      'leading',
    ]);
  });

  it('of a lot without another buyer are as before the first bid', async () => {
    const { dealer } = sandbox.credentials;
    await placed(dealer, 'live-open', 0);
    await cancelled(await placed(dealer, 'live-open', 50_000));
    expect(await standing(dealer, 'live-open')).toEqual(['no_bid', null, null, 'no_bid']);
    await placed(dealer, 'live-open', 0);
    sandbox.auctions.close('live-open');
    const { items } = (await get(sandbox, dealer, '/api/v1/sale-cases')).json.data;
    expect(items).toMatchObject([{ data: { amount: at('live-open', 0) } }]);
  });

  it('stay where they are when an older bid is cancelled, which only loses itself', async () => {
    const { dealer, rival } = sandbox.credentials;
    const [first, second] = [
      await placed(dealer, 'live-open', 0),
      await placed(dealer, 'live-open', 5_000),
      await placed(rival, 'live-open', 10_000),
    ];
    const latest = await placed(dealer, 'live-open', 15_000);
    const leading = await standing(dealer, 'live-open');
    for (const bidId of [second, first]) {
      await cancelled(bidId ?? '');
      expect(await standing(dealer, 'live-open')).toEqual(leading);
    }
    await cancelled(latest);
    expect(await standing(dealer, 'live-open')).toEqual(['no_bid', null, at('live-open', 10_000), 'no_bid']);
  });

  it('count for each buyer of a platform by itself', async () => {
    const { platform } = sandbox.credentials;
    await placed(platform, 'live-open', 0, 'A');
    await placed(platform, 'live-open', 5_000, 'B');
    const latest = await placed(platform, 'live-open', 10_000, 'A');
    await cancelled(latest, platform);
    const highest = at('live-open', 5_000);
    expect(await standing(platform, 'live-open', 'A')).toEqual(['no_bid', null, highest, 'leading']);
    expect(await standing(platform, 'live-open', 'B')).toEqual(['leading', highest, highest, 'leading']);
  });

  it('of a closed auction free the buyer’s own minimum, and nobody else’s', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed');
    await placed(platform, 'live-closed', 0, 'A');
    const latest = await placed(platform, 'live-closed', 25_000, 'A');
    await placed(platform, 'live-closed', 5_000, 'B');
    expect((await standing(platform, 'live-closed', 'B'))[0]).toBe('outbid');
    await cancelled(latest, platform);
    expect(await standing(platform, 'live-closed', 'A')).toEqual(['no_bid', null, undefined, 'leading']);
    expect((await standing(platform, 'live-closed', 'B'))[0]).toBe('leading');
    const low = await bid(sandbox, platform, lot.id, {
      amount: at('live-closed', 5_000),
      bidder_reference: 'B',
    });
    expect(low.json.errors).toEqual(['BID_BELOW_MINIMUM']);
    await placed(platform, 'live-closed', 0, 'A');
  });

  // rule: state.cancellation
  it('move the version of the lot, and its time, with the decision and not with the request', async () => {
    const { dealer } = sandbox.credentials;
    const bidId = await placed(dealer, 'live-open', 0);
    const status = async () =>
      (await get(sandbox, dealer, `/api/v1/lots/${lotOf(sandbox, 'live-open').id}/status`)).json.data;
    const before = await status();
    sandbox.clock.advance(1_000);
    const { id } = await done(request(bidId));
    expect(await status()).toEqual(before);
    sandbox.clock.advance(1_000);
    await done(decide(id));
    expect(await status()).toEqual({
      ...before,
      resource_version: before.resource_version + 1,
      updated_at: '2026-03-01T10:00:02.000Z',
      own_standing: 'no_bid',
      own_amount: null,
      highest_amount: null,
    });
  });

  it('are not moved again by the decision on a bid that went with a later one', async () => {
    const { dealer } = sandbox.credentials;
    const [first, second] = [await placed(dealer, 'live-open', 0), await placed(dealer, 'live-open', 5_000)];
    const pending = await done(request(first));
    await cancelled(second);
    const placedAgain = await placed(dealer, 'live-open', 0);
    expect((await done(decide(pending.id))).state).toBe('approved');
    expect((await get(sandbox, dealer, `/api/v1/bids/${placedAgain}`)).json.data.status).toBe('accepted');
    const { data } = (await get(sandbox, dealer, `/api/v1/lots/${lotOf(sandbox, 'live-open').id}/status`))
      .json;
    expect([data.own_standing, data.own_amount]).toEqual(['leading', at('live-open', 0)]);
  });
});

describe('after the close', () => {
  // rule: state.cancellation, state.sale
  it('a pending sale stays, and can neither be approved nor negotiated', async () => {
    const { bank } = sandbox.credentials;
    const sold = await wonLot(sandbox);
    const sale = await saleOf(sandbox, sold.saleId);
    await cancelled(sold.bidId);
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
    const url = `/api/v1/sale-cases/${sold.saleId}`;
    const decision = await command(sandbox, bank, `${url}/decisions`, await approval(sandbox, sold));
    expect([decision.status, decision.json.message]).toEqual([409, 'The bid of this sale is cancelled.']);
    const offer = await command(sandbox, bank, `${url}/offers`, {
      amount: sold.amount,
      currency: 'INR',
      terms_version: 'T1',
      valid_until: '2026-03-02T10:00:00Z',
      expected_version: 1,
    });
    expect([offer.status, offer.json.message]).toEqual([409, 'The bid of this sale is cancelled.']);
  });

  // rule: state.cancellation
  it('nobody is awarded the lot instead', async () => {
    const { rival, bank } = sandbox.credentials;
    await placed(rival, 'live-open', 0);
    const sold = await wonLot(sandbox, { amount: at('live-open', 5_000) });
    await cancelled(sold.bidId);
    sandbox.clock.advance(86_400_000);
    expect((await get(sandbox, bank, '/api/v1/sale-cases')).json.data.total).toBe(1);
    expect((await get(sandbox, rival, '/api/v1/sale-cases')).json.data.total).toBe(0);
  });

  it('a request that waits is decided, though the sale was approved meanwhile', async () => {
    const { bank } = sandbox.credentials;
    const sold = await wonLot(sandbox);
    const { id } = await done(request(sold.bidId));
    const url = `/api/v1/sale-cases/${sold.saleId}/decisions`;
    await done(command(sandbox, bank, url, await approval(sandbox, sold)));
    expect((await done(decide(id))).state).toBe('approved');
    const status = await get(sandbox, sold.who, `/api/v1/lots/${sold.lotId}/status`);
    expect(status.json.data.own_standing).toBe('no_bid');
  });

  it('the bid of an approved sale is past asking for its cancellation', async () => {
    const { bank } = sandbox.credentials;
    const sold = await wonLot(sandbox);
    const url = `/api/v1/sale-cases/${sold.saleId}/decisions`;
    await done(command(sandbox, bank, url, await approval(sandbox, sold)));
    expect((await request(sold.bidId)).status).toBe(409);
    expect((await list(bank)).total).toBe(0);
  });
});
