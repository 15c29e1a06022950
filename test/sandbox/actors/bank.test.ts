import { expect, it } from 'vitest';
import { ActorRefusedError } from '../../../src/sandbox/index.js';
import { caught, get, lotOf, onManualClock, plus, send } from '../caller.js';
import { paidFor } from '../commands.js';
import { aDay, saleAfter, saleAfterIn, storyOf } from '../story.js';

it('the bank approves with both credentials where two are wanted', async () => {
  const { sandbox, sold } = await saleAfterIn({ variants: { 'second-approver-reply': 'two-approvers' } });
  expect(sandbox.actors.bank.approve(sold.saleId)).toMatchObject({ state: 'approved' });
  expect(sandbox.ledger().at(-1)?.clientId).not.toBe(sandbox.credentials.bank.clientId);
});

it('the bank offers, the buyer answers, and the amount is approved', async () => {
  const { sandbox, sold } = await saleAfter();
  const amount = plus(sold.amount, 12_345);
  const terms = { amount, validFor: 3_600_000, termsVersion: 'T9' };
  const offer = sandbox.actors.bank.offer(sold.lotId, terms);
  expect(offer.data).toMatchObject({ amount, valid_until: '2026-03-01T11:00:00.000Z' });
  const { id } = offer;
  expect(sandbox.actors.buyer.respond(id, 'accepted')).toMatchObject({ id, state: 'accepted' });
  expect(sandbox.actors.bank.approve(sold.saleId).data).toMatchObject({ amount, terms_version: 'T9' });
});

it('the buyer declines an offer by its sale or lot, once and before it lapses', async () => {
  const { sandbox, sold } = await saleAfter();
  const { bank, buyer } = sandbox.actors;
  bank.offer(sold.lotId, { amount: plus(sold.amount, 1) });
  expect(buyer.respond(sold.lotId, 'declined')).toMatchObject({ state: 'declined' });
  expect(() => buyer.respond(sold.lotId, 'accepted')).toThrow(RangeError);
  const { id } = bank.offer(sold.lotId, { amount: plus(sold.amount, 1) });
  sandbox.clock.advance(aDay);
  expect(caught(() => buyer.respond(id, 'accepted'))).toMatchObject({ status: 409 });
  expect(bank.approve(sold.lotId)).toMatchObject({ state: 'approved', data: { amount: sold.amount } });
});

it('the bank receives money: all that remains, or parts that are each another transfer', async () => {
  const story = await saleAfter('approve');
  const { bank } = story.sandbox.actors;
  const { saleId, lotId } = story.sold;
  const part = { amount: '1000.00' };
  const halves = [bank.receive(saleId, part), bank.receive(saleId, part)];
  const parts = [...halves, bank.receive(lotId, { utr: 'UTR0001' })];
  expect(parts.map(({ receipt }) => receipt)).toEqual(story.all('bank_receipt'));
  expect(parts.map(({ paymentId }) => paymentId)).toEqual(story.all('payment').map(({ id }) => id));
  const { amount } = story.sold;
  const received = { amount, utr: 'UTR0001', value_date: '2026-03-01' };
  expect(story.newest('bank_receipt').data).toMatchObject(received);
});

it('the bank settles a sale whatever has happened already, and once', async () => {
  const story = await saleAfter('approve');
  const { bank, buyer } = story.sandbox.actors;
  const { saleId, lotId, amount } = story.sold;
  const reports = [
    buyer.report(saleId, { amount: '3000.00' }),
    buyer.report(lotId, { amount: '2000.00', utr: 'UTR-A' }),
  ];
  const { receiptId } = bank.receive(saleId, { amount: '700.00', utr: 'UTR-A' });
  const dues = bank.settle(lotId);
  expect(dues).toEqual(await story.dues());
  expect(dues).toMatchObject({ verified_credits: amount, remaining: '0.00', excess: '0.00', state: 'paid' });
  const verified = story
    .all('payment_report')
    .map(({ id, state, data }) => [id, state, data['received_amount']]);
  expect(verified).toEqual([
    [reports[0]?.id, 'verified', '3000.00'],
    [reports[1]?.id, 'verified', '700.00'],
  ]);
  expect(story.newest('payment_report').data['bank_receipt_id']).toBe(receiptId);
  const amounts = story.all('payment').map(({ data }) => data['amount']);
  expect(amounts).toEqual(['700.00', '3000.00', plus(amount, -3_700)]);
  const before = story.sandbox.ledger();
  bank.settle(lotId);
  expect(story.sandbox.ledger()).toEqual(before);
});

it('the bank allocates no more than what remains of a sale', async () => {
  const story = await saleAfter('approve');
  const { bank } = story.sandbox.actors;
  const { saleId, amount } = story.sold;
  bank.receive(saleId, { amount: plus(amount, 5_000) });
  expect(bank.settle(saleId)).toMatchObject({ remaining: '0.00', excess: '0.00', state: 'paid' });
});

it('the bank releases the vehicle, takes the release back, and hands it over on another one', async () => {
  const { sandbox, sold } = await saleAfter(...paidFor);
  const { bank } = sandbox.actors;
  expect(() => bank.collect(sold.saleId)).toThrow(RangeError);
  const first = bank.release(sold.lotId);
  const dates = { expires_at: '2026-03-04T10:00:00.000Z', collection_date: '2026-03-01' };
  expect(first.data).toMatchObject(dates);
  expect(sandbox.actors.set(first.id, 'revoked')).toMatchObject({ id: first.id, state: 'revoked' });
  expect(caught(() => sandbox.actors.set(first.id, 'revoked'))).toMatchObject({ status: 409 });
  const { id } = bank.release(sold.saleId);
  expect(bank.collect(sold.lotId)).toMatchObject({ id, state: 'used' });
});

it.each([
  ['cancelBid', [], 'cancellation'],
  ['cancelSale', paidFor, 'sale_cancellation'],
  ['askBack', paidFor, 'refund_request'],
] as const)('set() has the bank decide what %s asks for, with yes or with no', async (ask, names, kind) => {
  for (const decision of ['approved', 'rejected'] as const) {
    const story = await saleAfterIn({ variants: { 'decision-values': 'rejected-too' } }, ...names, ask);
    const { actors } = story.sandbox;
    const decided = actors.set(story.newest(kind).id, decision);
    expect(decided).toEqual(story.newest(kind));
    expect(decided).toMatchObject({ state: decision, data: { decision } });
    expect(caught(() => actors.set(decided.id, decision))).toMatchObject({ status: 409 });
  }
});

it('an actor makes no attempt, counts in no rate, and is struck by no fault', async () => {
  await using sandbox = await onManualClock({ rateLimit: 2 });
  const lot = lotOf(sandbox, 'live-open').id;
  sandbox.actors.rival.bidNext(lot);
  sandbox.auctions.close('live-open');
  sandbox.inject({ fault: 'drop_before_commit' });
  sandbox.actors.bank.approve(lot);
  sandbox.actors.buyer.acknowledge(lot);
  sandbox.actors.bank.settle(lot);
  expect(sandbox.attempts()).toEqual([]);
  const { bank, rival } = sandbox.credentials;
  await expect(send(sandbox, bank, { path: '/api/v1/sale-cases' })).rejects.toThrow(TypeError);
  for (const status of [200, 200, 429]) {
    expect((await get(sandbox, rival, '/api/v1/sale-cases')).status).toBe(status);
  }
});

it('an actor acts for a client that may not, too: what it may by itself is another matter', async () => {
  const { sandbox, sold } = await saleAfter();
  const { bank, dealer } = sandbox.credentials;
  sandbox.partners.update(bank.clientId, { scopes: [], active: false });
  sandbox.partners.update(dealer.clientId, { keyRevoked: true });
  sandbox.actors.bank.approve(sold.saleId);
  expect(sandbox.actors.buyer.acknowledge(sold.saleId)).toMatchObject({ resource_version: 3 });
  expect((await get(sandbox, dealer, '/api/v1/sale-cases')).status).toBe(401);
});

it('an actor acts for the buyer of a platform', async () => {
  const sandbox = await onManualClock();
  const { platform } = sandbox.credentials;
  const { sold } = await storyOf(sandbox, { who: platform, bidder_reference: 'buyer-7' }, 'approve');
  sandbox.actors.buyer.acknowledge(sold.lotId);
  expect(sandbox.ledger().at(-1)).toMatchObject({ operation: 'A23', clientId: platform.clientId });
  sandbox.actors.bank.settle(sold.lotId);
  expect(sandbox.actors.bank.release(sold.lotId).data).toMatchObject({ recipient: 'buyer-7' });
});

it('an actor is refused like any client, and nothing has changed', async () => {
  const story = await saleAfter('approve');
  const { bank } = story.sandbox.actors;
  const { saleId } = story.sold;
  const before = await story.everything();
  for (const [work, refusal] of [
    [() => bank.offer(saleId, { amount: '1.00' }), { status: 409, fields: {} }],
    [() => bank.receive(saleId, { amount: '0.00' }), { status: 422, fields: { amount: expect.anything() } }],
  ] as const) {
    const error = caught(work);
    expect(error).toBeInstanceOf(ActorRefusedError);
    expect(error).toMatchObject(refusal);
  }
  expect(await story.everything()).toEqual(before);
});

it('an actor finds no sale by an id of none, nor by a lot that has none yet', async () => {
  const { sandbox } = await saleAfter();
  const live = lotOf(sandbox, 'live-closed').id;
  for (const id of ['lot_none', 'sal_none', '', '__proto__', live]) {
    expect(() => sandbox.actors.bank.approve(id)).toThrow(RangeError);
    expect(() => sandbox.actors.buyer.report(id)).toThrow(RangeError);
  }
});
