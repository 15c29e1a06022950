import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get } from './caller.js';
import { approval, approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const decisions = (sold: SoldLot) => `/api/v1/sale-cases/${sold.saleId}/decisions`;
const acknowledgments = (sold: SoldLot) => `/api/v1/sale-cases/${sold.saleId}/acknowledgments`;

describe('winner updates', () => {
  const updates = async (who = sandbox.credentials.dealer, query = '') =>
    (await get(sandbox, who, '/api/v1/winner-updates', query)).json;

  // rule: state.sale, winner.same-decision
  it('tell of a committed approval as it was, to its buyer and its bank', async () => {
    expect(await updates()).toMatchObject({ data: [], next_cursor: null });
    const sold = await approvedLot(sandbox);
    const { data, next_cursor } = await updates();
    expect(data).toEqual([
      {
        id: expect.any(String),
        type: 'sale.approved',
        created_at: '2026-03-01T10:00:00.000Z',
        resource_id: sold.saleId,
        resource_version: 2,
        lot_id: sold.lotId,
        sale: {
          id: sold.saleId,
          state: 'approved',
          winner: true,
          bank_decision_final: true,
          bank_confirmation_required: false,
          buyer_acknowledgment_required: true,
          bid_id: sold.bidId,
          bidder_reference: null,
          amount: sold.amount,
          currency: 'INR',
          terms_version: 'T1',
          due_at: '2026-03-08T10:00:00.000Z',
        },
      },
    ]);
    await command(sandbox, sold.who, acknowledgments(sold), { terms_version: 'T1', expected_version: 2 });
    expect((await updates()).data).toEqual(data);
    expect((await updates(sandbox.credentials.bank)).data).toEqual(data);
    expect((await updates(sandbox.credentials.rival)).data).toEqual([]);
    expect((await updates(sold.who, `after=${next_cursor}`)).data).toEqual([]);
    expect((await updates(sold.who, `after=${next_cursor}`)).next_cursor).toBe(next_cursor);
  });

  // rule: winner.same-decision
  it('come of approvals alone, one of each, and tell what the sale and the message about it tell', async () => {
    const { bank, dealer } = sandbox.credentials;
    const sold = await wonLot(sandbox);
    const body = await approval(sandbox, sold);
    expect((await command(sandbox, bank, decisions(sold), { ...body, due_at: undefined })).status).toBe(422);
    expect((await updates()).data).toEqual([]);
    const idempotency_key = randomUUID();
    for (const _ of [1, 2]) await done(command(sandbox, bank, decisions(sold), { ...body, idempotency_key }));
    expect((await command(sandbox, bank, decisions(sold), { ...body, expected_version: 2 })).status).toBe(
      409,
    );
    const [update, ...others] = (await updates()).data;
    expect(others).toEqual([]);
    const { id, state, resource_version, data } = await saleOf(sandbox, sold.saleId);
    expect([update.resource_id, update.resource_version]).toEqual([id, resource_version]);
    const { bid_id, bidder_reference, amount, currency, terms_version, due_at } = data;
    expect(update.sale).toMatchObject({ id, state, bid_id, bidder_reference, amount, currency });
    expect(update.sale).toMatchObject({ terms_version, due_at });
    const messages = (await get(sandbox, dealer, '/api/v1/notifications')).json.data;
    expect(messages).toMatchObject([
      { type: update.type, resource_version, created_at: update.created_at },
      { type: 'vehicle.status_changed' },
    ]);
  });

  // rule: winner.cursor, delivery.5
  it('go on from a cursor, by limit, and say so of a cursor that is none', async () => {
    const { dealer, bank } = sandbox.credentials;
    const lots = sandbox.auctions.get('live-open').lots.slice(0, 5);
    for (const lot of lots) await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    sandbox.auctions.close('live-open');
    const { items } = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data;
    for (const sale of items) {
      const sold = {
        saleId: sale.id,
        lotId: sale.data.lot_id,
        bidId: sale.data.bid_id,
        amount: '',
        who: dealer,
      };
      await command(sandbox, bank, decisions(sold), await approval(sandbox, sold));
    }
    const walked: string[] = [];
    let cursor = '';
    for (let step = 0; step < 3; step += 1) {
      const query = cursor === '' ? 'limit=2' : `after=${cursor}&limit=2`;
      const one = await updates(dealer, query);
      expect(await updates(dealer, query)).toEqual(one);
      walked.push(...one.data.map((update: { resource_id: string }) => update.resource_id));
      cursor = one.next_cursor;
    }
    expect(walked).toEqual(items.map((sale: { id: string }) => sale.id));
    expect((await get(sandbox, dealer, '/api/v1/winner-updates', 'after=xyz')).status).toBe(422);
    expect((await get(sandbox, dealer, '/api/v1/winner-updates', 'limit=0')).status).toBe(422);
  });
});
