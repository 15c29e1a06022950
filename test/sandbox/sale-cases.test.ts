import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus, send } from './caller.js';
import { approval, approvedLot, command, done, type SoldLot, wonLot } from './workflow.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const decisions = (sold: SoldLot) => `/api/v1/sale-cases/${sold.saleId}/decisions`;
const acknowledgments = (sold: SoldLot) => `/api/v1/sale-cases/${sold.saleId}/acknowledgments`;

describe('the award at the close', () => {
  // rule: general.4, page.in-data, state.sale
  it('opens a sale for the leading bid of every lot, at the moment of the close, and reads literally', async () => {
    const { dealer, bank } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const first = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    const { closesAt } = sandbox.auctions.get('live-open');
    sandbox.clock.advance(closesAt - sandbox.clock.now() - 1);
    expect((await get(sandbox, bank, '/api/v1/sale-cases')).json.data.items).toEqual([]);
    sandbox.clock.advance(60_001);
    const list = await get(sandbox, bank, '/api/v1/sale-cases');
    expect(list.json).toEqual({
      data: {
        items: [
          {
            id: expect.stringMatching(/^sal_[0-9a-f]{12}$/),
            kind: 'sale',
            state: 'pending_bank_approval',
            resource_version: 1,
            data: {
              bid_id: first.json.data.bid_id,
              bidder_reference: null,
              amount: lot.startingPrice,
              currency: 'INR',
              terms_version: null,
              acknowledged_at: null,
              lot_id: lot.id,
              due_at: null,
              payee_instructions: null,
              payee_version: null,
            },
            created_at: '2026-03-01T14:00:00.000Z',
            updated_at: '2026-03-01T14:00:00.000Z',
          },
        ],
        current_page: 1,
        last_page: 1,
        total: 1,
      },
      server_time: '2026-03-01T14:01:00.000Z',
    });
    const [item] = list.json.data.items;
    const detail = await get(sandbox, dealer, `/api/v1/sale-cases/${item.id}`);
    expect(detail.json.data).toEqual({ ...item, data: { ...item.data, active_offer: null } });
  });

  it('follows a close that is moved, to later and to earlier, and happens once', async () => {
    const { dealer, bank } = sandbox.credentials;
    const count = async () => (await get(sandbox, bank, '/api/v1/sale-cases')).json.data.total;
    for (const label of ['live-open', 'live-closed']) {
      const lot = lotOf(sandbox, label);
      await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    }
    const open = sandbox.auctions.get('live-open').closesAt;
    sandbox.auctions.moveClose('live-open', open + 600_000);
    sandbox.auctions.moveClose('live-closed', sandbox.clock.now() + 1_000);
    sandbox.clock.advance(1_000);
    expect(await count()).toBe(1);
    sandbox.clock.advance(open - sandbox.clock.now());
    expect(await count()).toBe(1);
    sandbox.clock.advance(600_000);
    expect(await count()).toBe(2);
    sandbox.clock.advance(86_400_000);
    expect(await count()).toBe(2);
    expect(() => sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1)).toThrow(/awarded/);
  });

  describe('with a bid that came before the close and is held up beyond it', () => {
    /** The rival's opening bid, then one of the dealer's that is held for five seconds; the close comes after one. */
    async function heldBid(label: string, extra: number) {
      const lot = lotOf(sandbox, 'live-open');
      sandbox.actors.rival.bid(lot.id, lot.startingPrice);
      sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1_000);
      sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 5_000 });
      const { id, startingPrice } = lotOf(sandbox, label);
      const amount = plus(startingPrice, extra);
      const reply = bid(sandbox, sandbox.credentials.dealer, id, { amount });
      while (sandbox.attempts().at(-1)?.status !== 'pending') await new Promise(setImmediate);
      sandbox.clock.advance(1_000);
      return { opening: lot.startingPrice, amount, reply };
    }
    const amounts = async () => {
      const { items } = (await get(sandbox, sandbox.credentials.bank, '/api/v1/sale-cases')).json.data;
      return items.map(({ data }: { data: { amount: string } }) => data.amount);
    };

    it('waits for it, and is made to it where it leads', async () => {
      const { amount, reply } = await heldBid('live-open', 5_000);
      expect(await amounts()).toEqual([]);
      sandbox.clock.advance(4_000);
      expect((await reply).status).toBe(201);
      expect(await amounts()).toEqual([amount]);
    });

    it('waits for it, and is made without it where it is rejected', async () => {
      const { opening, reply } = await heldBid('live-open', 0);
      expect(await amounts()).toEqual([]);
      sandbox.clock.advance(4_000);
      expect((await reply).status).toBe(422);
      expect(await amounts()).toEqual([opening]);
    });

    it('does not wait for one in another auction', async () => {
      const { opening, reply } = await heldBid('live-closed', 0);
      expect(await amounts()).toEqual([opening]);
      sandbox.clock.advance(4_000);
      expect((await reply).status).toBe(201);
      expect(await amounts()).toEqual([opening]);
    });
  });

  it('a close that is moved to the past is now: no bid that came is late afterwards', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    sandbox.auctions.moveClose('live-open', sandbox.clock.now() - 3_600_000);
    expect(sandbox.auctions.get('live-open').closesAt).toBe(sandbox.clock.now());
    expect((await get(sandbox, dealer, '/api/v1/sale-cases')).json.data.total).toBe(1);
  });

  it('takes the highest bid, and none of a withdrawn lot or a cancelled auction', async () => {
    const { dealer, bank, platform } = sandbox.credentials;
    const [won, withdrawn] = [lotOf(sandbox, 'live-open', 0), lotOf(sandbox, 'live-open', 1)];
    await bid(sandbox, dealer, won.id, { amount: won.startingPrice });
    const raised = plus(won.startingPrice, 5_000);
    await bid(sandbox, platform, won.id, { amount: raised, bidder_reference: 'buyer-1' });
    await bid(sandbox, dealer, withdrawn.id, { amount: withdrawn.startingPrice });
    const gone = lotOf(sandbox, 'live-closed');
    await bid(sandbox, dealer, gone.id, { amount: gone.startingPrice });
    sandbox.auctions.withdraw(withdrawn.id);
    sandbox.auctions.cancel('live-closed');
    sandbox.auctions.close('live-open');
    sandbox.clock.advance(86_400_000);
    const { items } = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data;
    expect(items).toHaveLength(1);
    expect(items[0].data).toMatchObject({ lot_id: won.id, amount: raised, bidder_reference: 'buyer-1' });
  });

  // rule: code.not-found
  it("shows a sale to its buyer's partner and its bank, and to nobody else", async () => {
    const sold = await wonLot(sandbox);
    const { dealer, platform, rival, bank } = sandbox.credentials;
    for (const [who, status, total] of [
      [dealer, 200, 1],
      [bank, 200, 1],
      [platform, 404, 0],
      [rival, 404, 0],
    ] as const) {
      expect((await get(sandbox, who, `/api/v1/sale-cases/${sold.saleId}`)).status).toBe(status);
      expect((await get(sandbox, who, '/api/v1/sale-cases')).json.data.total).toBe(total);
    }
  });

  // rule: limit.fixed-pages
  it('pages by 25, newest first', async () => {
    const { dealer, bank } = sandbox.credentials;
    const { lots } = sandbox.auctions.get('live-open');
    for (const lot of lots.slice(0, 27)) await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    sandbox.auctions.close('live-open');
    const first = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data;
    const second = (await get(sandbox, bank, '/api/v1/sale-cases', 'page=2')).json.data;
    expect([first.items.length, first.current_page, first.last_page, first.total]).toEqual([25, 1, 2, 27]);
    expect([second.items.length, second.current_page, second.total]).toEqual([2, 2, 27]);
    expect(second.items.at(-1).data.lot_id).toBe(lots[0]?.id);
  });
});

describe('A22, the decision', () => {
  // rule: general.4, state.sale, convention.3, code.key-conflict
  it('approves, literally', async () => {
    const { bank } = sandbox.credentials;
    const sold = await wonLot(sandbox);
    sandbox.clock.advance(5_000);
    const key = randomUUID();
    const body = { ...(await approval(sandbox, sold)), reason: 'Above the reserve', idempotency_key: key };
    const got = await command(sandbox, bank, decisions(sold), body);
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      data: {
        id: sold.saleId,
        kind: 'sale',
        state: 'approved',
        resource_version: 2,
        data: {
          bid_id: sold.bidId,
          bidder_reference: null,
          amount: sold.amount,
          currency: 'INR',
          terms_version: 'T1',
          acknowledged_at: null,
          lot_id: sold.lotId,
          due_at: body.due_at,
          payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
          payee_version: 1,
        },
        created_at: '2026-03-01T10:00:00.000Z',
        updated_at: '2026-03-01T10:00:05.000Z',
      },
      request_id: expect.stringMatching(/^req_/),
      server_time: '2026-03-01T10:00:05.000Z',
    });
    expect(sandbox.ledger().filter(({ operation }) => operation === 'A22')).toEqual([
      {
        kind: 'sale',
        operation: 'A22',
        call: 'saleCases.decide',
        recordId: sold.saleId,
        idempotencyKey: key,
        clientId: bank.clientId,
        saleId: sold.saleId,
        lotId: sold.lotId,
        bidId: sold.bidId,
        amount: sold.amount,
        at: Date.parse('2026-03-01T10:00:05Z'),
      },
    ]);
  });

  // rule: state.sale
  it.each([
    ['a withdrawn vehicle', (lotId: string) => sandbox.auctions.withdraw(lotId)],
    ['a cancelled auction', () => sandbox.auctions.cancel('live-open')],
  ])('refuses %s', async (_, spoil) => {
    const sold = await wonLot(sandbox);
    spoil(sold.lotId);
    const got = await command(
      sandbox,
      sandbox.credentials.bank,
      decisions(sold),
      await approval(sandbox, sold),
    );
    expect([got.status, got.json.message]).toEqual([
      409,
      'The vehicle of this sale is not available any more.',
    ]);
  });
});

describe('A23, the acknowledgment', () => {
  const body = { terms_version: 'T1', expected_version: 2 };

  it('says when', async () => {
    const sold = await approvedLot(sandbox);
    sandbox.clock.advance(60_000);
    const got = await command(sandbox, sold.who, acknowledgments(sold), body);
    expect(got.json.data).toMatchObject({
      state: 'approved',
      resource_version: 3,
      data: { acknowledged_at: '2026-03-01T10:01:00.000Z' },
    });
  });

  it('is neither a bid nor an approval nor a payment', async () => {
    const sold = await approvedLot(sandbox);
    const read = async (path: string) => (await get(sandbox, sold.who, `/api/v1/${path}`)).json.data;
    const around = async () => ({
      bids: await read('bids'),
      bid: await read(`bids/${sold.bidId}`),
      updates: await read('winner-updates'),
      receipts: await read(`sale-cases/${sold.saleId}/receipts`),
      dues: await read(`sale-cases/${sold.saleId}/payment-dues`),
      sale: await read(`sale-cases/${sold.saleId}`),
    });
    const before = await around();
    const committed = sandbox.ledger();
    await done(command(sandbox, sold.who, acknowledgments(sold), body));
    const { dues, sale } = before;
    expect(await around()).toEqual({
      ...before,
      dues: { ...dues, resource_version: 3 },
      sale: {
        ...sale,
        resource_version: 3,
        data: { ...sale.data, acknowledged_at: '2026-03-01T10:00:00.000Z' },
      },
    });
    expect(sandbox.ledger().slice(committed.length)).toMatchObject([{ kind: 'sale', operation: 'A23' }]);
  });

  it('waits for the approval, and is the buyer’s own', async () => {
    const pending = await wonLot(sandbox);
    const early = await command(sandbox, pending.who, acknowledgments(pending), {
      ...body,
      expected_version: 1,
    });
    expect(early.status).toBe(409);
    const stranger = await command(sandbox, sandbox.credentials.rival, acknowledgments(pending), body);
    expect(stranger.status).toBe(404);
    const bank = await command(sandbox, sandbox.credentials.bank, acknowledgments(pending), body);
    expect([bank.status, bank.json.code]).toEqual([403, 'SCOPE_DENIED']);
  });
});

// rule: general.9
it('commands take a body only as JSON', async () => {
  const sold = await wonLot(sandbox);
  const got = await send(sandbox, sandbox.credentials.bank, {
    path: decisions(sold),
    body: 'decision=approved',
  });
  expect([got.status, Object.keys(got.json.errors)]).toEqual([422, ['body']]);
});
