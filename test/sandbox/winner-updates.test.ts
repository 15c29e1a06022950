import { expect, it } from 'vitest';
import { bid, get, onManualClock } from './caller.js';
import { type Story, saleAfter, saleAfterIn, told } from './story.js';

const updates = async ({ sandbox, sold }: Story, who = sold.who, query = '') =>
  (await get(sandbox, who, '/api/v1/winner-updates', query)).json;

// rule: state.sale, winner.same-decision
it('a committed approval is told as it was, to its buyer and its bank', async () => {
  const story = await saleAfter();
  expect(await updates(story)).toMatchObject({ data: [], next_cursor: null });
  await story.do('approve');
  const { data, next_cursor } = await updates(story);
  const { saleId, lotId, bidId, amount } = story.sold;
  expect(data).toEqual([
    {
      ...{ id: expect.any(String), type: 'sale.approved', created_at: '2026-03-01T10:00:00.000Z' },
      ...{ resource_id: saleId, resource_version: 2, lot_id: lotId },
      sale: {
        ...{ id: saleId, state: 'approved', winner: true, bank_decision_final: true },
        ...{ bank_confirmation_required: false, buyer_acknowledgment_required: true },
        ...{ bid_id: bidId, bidder_reference: null, amount, currency: 'INR' },
        ...{ terms_version: 'T1', due_at: '2026-03-08T10:00:00.000Z' },
      },
    },
  ]);
  const messages = await story.read('notifications', story.sold.who);
  expect(messages[0]).toMatchObject({ type: 'sale.approved', resource_version: 2 });
  await story.do('acknowledge');
  expect((await updates(story)).data).toEqual(data);
  expect((await updates(story, story.sandbox.credentials.bank)).data).toEqual(data);
  expect(await updates(story, story.sold.who, `after=${next_cursor}`)).toMatchObject({
    data: [],
    next_cursor,
  });
});

// rule: winner.same-decision
it('updates come of approvals alone, one of each', async () => {
  const story = await saleAfter();
  const idempotency_key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
  const body = { ...story.body('approve'), idempotency_key };
  expect((await story.send('approve', { due_at: undefined })).status).toBe(422);
  expect((await updates(story)).data).toEqual([]);
  for (const _ of [1, 2]) await story.do('approve', body);
  expect((await story.send('approve')).status).toBe(409);
  expect((await updates(story)).data).toHaveLength(1);
  const other = await saleAfterIn({ variants: { 'decision-values': 'rejected-too' } }, 'reject');
  expect((await updates(other)).data).toEqual([]);
});

// rule: winner.cursor, delivery.5
it('updates go on from a cursor, by limit; a cursor that is none is refused', async () => {
  await using sandbox = await onManualClock();
  const { dealer } = sandbox.credentials;
  for (const lot of sandbox.auctions.get('live-open').lots.slice(0, 5)) {
    await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  }
  sandbox.auctions.close('live-open');
  const sales = sandbox.records('sale').map(({ id }) => id);
  for (const id of sales) sandbox.actors.bank.approve(id);
  const read = (query: string) => get(sandbox, dealer, '/api/v1/winner-updates', query);
  const walked: string[] = [];
  let after = '';
  for (let step = 0; step < 3; step += 1) {
    const query = `${after}limit=2`;
    const { data, next_cursor } = (await read(query)).json;
    expect((await read(query)).json).toMatchObject({ data, next_cursor });
    walked.push(...data.map((update: { resource_id: string }) => update.resource_id));
    after = `after=${next_cursor}&`;
  }
  expect(walked).toEqual(sales);
  expect(told(await read('after=xyz'))).toEqual([422, ['after']]);
  expect(told(await read('limit=0'))).toEqual([422, ['limit']]);
});
