import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActorRefusedError, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { bid, get, lotOf, onManualClock, plus, send } from '../caller.js';
import { duesOf, evidence, paid, receiptsOf, reportBody } from '../funds.js';
import { acknowledgedLot, approvedLot, command, done, picture, saleOf, wonLot } from '../workflow.js';

const start = Date.parse('2026-03-01T10:00:00Z');
let sandbox: Sandbox;
const begin = async (options: SandboxOptions = {}) => {
  sandbox = await onManualClock({ ...options });
};
const anew = async (options: SandboxOptions) => {
  await sandbox.close();
  await begin(options);
};
beforeEach(() => begin());
afterEach(() => sandbox.close());

const inbox = async (who = sandbox.credentials.dealer) =>
  (await get(sandbox, who, '/api/v1/notifications')).json.data.map(({ type }: { type: string }) => type);

/** A sale that is paid for, by its buyer's own requests and the bank's hand. */
async function paidLot() {
  const sold = await acknowledgedLot(sandbox);
  sandbox.actors.bank.settle(sold.saleId);
  return sold;
}

describe('approve', () => {
  it('approves as the bank would, in the ledger and in the news, and returns the record that is read', async () => {
    const { saleId, lotId, bidId, amount } = await wonLot(sandbox);
    const record = sandbox.actors.bank.approve(lotId);
    const { active_offer, ...data } = (await saleOf(sandbox, saleId)).data;
    expect(record).toEqual({ ...(await saleOf(sandbox, saleId)), data });
    expect(active_offer).toBeNull();
    expect(record).toMatchObject({
      id: saleId,
      kind: 'sale',
      state: 'approved',
      resource_version: 2,
      data: {
        amount,
        terms_version: 'T1',
        due_at: '2026-03-08T10:00:00.000Z',
        payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
      },
    });
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'sale',
      operation: 'A22',
      recordId: saleId,
      saleId,
      lotId,
      bidId,
      amount,
      clientId: sandbox.credentials.bank.clientId,
      at: start,
    });
    expect(await inbox()).toContain('sale.approved');
    const updates = await get(sandbox, sandbox.credentials.dealer, '/api/v1/winner-updates');
    expect(updates.json.data).toMatchObject([{ resource_id: saleId }]);
  });

  it('takes terms', async () => {
    const { saleId } = await wonLot(sandbox);
    const { data } = sandbox.actors.bank.approve(saleId, {
      termsVersion: 7,
      dueIn: 3_600_000,
      payeeInstructions: 'By UPI',
    });
    expect(data).toMatchObject({
      terms_version: 7,
      due_at: '2026-03-01T11:00:00.000Z',
      payee_instructions: 'By UPI',
    });
  });

  it('approves with both credentials where two are wanted', async () => {
    await anew({ variants: { 'second-approver-reply': 'two-approvers' } });
    const { saleId } = await wonLot(sandbox);
    expect(sandbox.actors.bank.approve(saleId)).toMatchObject({ state: 'approved' });
    const approvals = sandbox.ledger().filter(({ operation }) => operation === 'A22');
    const clients = approvals.map(({ clientId }) => clientId);
    expect(clients.at(-1)).not.toBe(sandbox.credentials.bank.clientId);
  });
});

describe('offer', () => {
  it('is answered by the buyer’s hand, and its amount approved', async () => {
    const { saleId, lotId, amount } = await wonLot(sandbox);
    const raised = plus(amount, 12_345);
    const offer = sandbox.actors.bank.offer(lotId, {
      amount: raised,
      validFor: 3_600_000,
      termsVersion: 'T9',
    });
    expect(offer).toMatchObject({
      kind: 'offer',
      state: 'open',
      data: { amount: raised, currency: 'INR', valid_until: '2026-03-01T11:00:00.000Z' },
    });
    expect(sandbox.actors.buyer.respond(offer.id, 'accepted')).toMatchObject({
      id: offer.id,
      state: 'accepted',
    });
    expect(sandbox.actors.bank.approve(saleId)).toMatchObject({
      state: 'approved',
      data: { amount: raised, terms_version: 'T9' },
    });
    expect(sandbox.ledger().map(({ operation }) => operation)).toEqual(['bids.submit', 'A24', 'A25', 'A22']);
  });

  it('is declined by its sale or lot', async () => {
    const { lotId, amount } = await wonLot(sandbox);
    sandbox.actors.bank.offer(lotId, { amount: plus(amount, 1) });
    expect(sandbox.actors.buyer.respond(lotId, 'declined', 'Too much')).toMatchObject({ state: 'declined' });
    expect(() => sandbox.actors.buyer.respond(lotId, 'accepted')).toThrow(RangeError);
  });

  it('lapses like any offer', async () => {
    const { lotId, amount } = await wonLot(sandbox);
    const { id } = sandbox.actors.bank.offer(lotId, { amount: plus(amount, 1) });
    sandbox.clock.advance(86_400_000);
    expect(caught(() => sandbox.actors.buyer.respond(id, 'accepted'))).toMatchObject({ status: 409 });
  });
});

describe('money', () => {
  it('is received: the receipt and its payment, both to be read', async () => {
    const sold = await approvedLot(sandbox);
    const { receiptId, paymentId, receipt } = sandbox.actors.bank.receive(sold.lotId);
    expect(receipt).toMatchObject({
      id: receiptId,
      kind: 'bank_receipt',
      state: 'verified',
      data: { sale_id: sold.saleId, amount: sold.amount, currency: 'INR', value_date: '2026-03-01' },
    });
    const { json } = await get(sandbox, sandbox.credentials.bank, `/api/v1/payments/${paymentId}`);
    expect(json.data).toMatchObject({ id: paymentId, state: 'succeeded', data: { amount: sold.amount } });
  });

  it('is received in parts, each another transfer', async () => {
    const sold = await approvedLot(sandbox);
    const parts = [
      sandbox.actors.bank.receive(sold.saleId, { amount: '1000.00' }),
      sandbox.actors.bank.receive(sold.saleId, { amount: '1000.00' }),
      sandbox.actors.bank.receive(sold.saleId, {
        utr: 'UTR0001',
        externalTransactionId: 'X-1',
        valueDate: '2026-02-27',
      }),
    ];
    expect(new Set(parts.map(({ paymentId }) => paymentId)).size).toBe(3);
    expect(parts.at(-1)?.receipt.data).toMatchObject({
      utr: 'UTR0001',
      external_transaction_id: 'X-1',
      value_date: '2026-02-27',
    });
  });

  it('is allocated: what is free, up to what remains', async () => {
    const sold = await approvedLot(sandbox);
    const first = sandbox.actors.bank.receive(sold.saleId, { amount: '1000.00' });
    const second = sandbox.actors.bank.receive(sold.saleId, { amount: plus(sold.amount, 5_000) });
    expect(sandbox.actors.bank.allocate(sold.saleId)).toMatchObject({
      kind: 'allocation',
      data: { payment_id: first.paymentId, amount: '1000.00' },
    });
    expect(
      sandbox.actors.bank.allocate(sold.saleId, { paymentId: second.paymentId, amount: '1.00' }).data,
    ).toMatchObject({
      amount: '1.00',
    });
    expect(sandbox.actors.bank.allocate(sold.saleId).data).toMatchObject({
      amount: plus(sold.amount, -1_001),
    });
    expect((await duesOf(sandbox, sold)).data).toMatchObject({
      remaining: '0.00',
      excess: '0.00',
      state: 'paid',
    });
  });

  it('is not there to be allocated before it came', async () => {
    const sold = await approvedLot(sandbox);
    expect(() => sandbox.actors.bank.allocate(sold.saleId)).toThrow(/bank\.receive/);
  });

  it('verifies a report against the receipt that is there, or imports one', async () => {
    const sold = await approvedLot(sandbox);
    const report = async (utr: string) =>
      done(
        command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold, { utr, amount: '500.00' })),
      );
    const [known, unknown] = [await report('UTR-A'), await report('UTR-B')];
    const { receiptId } = sandbox.actors.bank.receive(sold.saleId, { utr: 'UTR-A', amount: '490.00' });
    expect(sandbox.actors.bank.verify(known.id)).toMatchObject({
      state: 'verified',
      data: { bank_receipt_id: receiptId, received_amount: '490.00' },
    });
    expect(sandbox.actors.bank.verify(unknown.id)).toMatchObject({
      state: 'verified',
      data: { received_amount: '500.00' },
    });
    expect((await receiptsOf(sandbox, sold)).payments).toHaveLength(2);
  });

  it('settles a sale whatever has happened already, and once', async () => {
    const sold = await approvedLot(sandbox);
    sandbox.actors.buyer.report(sold.saleId, { amount: '3000.00', utr: 'UTR-A' });
    sandbox.actors.buyer.report(sold.lotId, { amount: '2000.00' });
    const early = await paid(sandbox, sold, { amount: '700.00' });
    sandbox.actors.bank.allocate(sold.saleId, { paymentId: early.id, amount: '300.00' });
    const dues = sandbox.actors.bank.settle(sold.lotId);
    expect(dues).toEqual((await duesOf(sandbox, sold)).data);
    expect(dues).toMatchObject({
      verified_credits: sold.amount,
      remaining: '0.00',
      excess: '0.00',
      state: 'paid',
    });
    const { payments, allocations } = await receiptsOf(sandbox, sold);
    expect(payments.map(({ data }: { data: { amount: string } }) => data.amount)).toEqual([
      '700.00',
      '3000.00',
      '2000.00',
      plus(sold.amount, -5_700),
    ]);
    expect(allocations).toHaveLength(5);
    const before = sandbox.ledger();
    sandbox.actors.bank.settle(sold.lotId);
    expect(sandbox.ledger()).toEqual(before);
  });

  it('is reported with evidence', async () => {
    const sold = await approvedLot(sandbox);
    const evidenceId = await evidence(sandbox, sold);
    expect(sandbox.actors.buyer.report(sold.saleId, { evidenceId, externalReference: 'R-1' })).toMatchObject({
      state: 'reported_pending_verification',
      data: { amount: sold.amount, evidence_id: evidenceId, external_reference: 'R-1' },
    });
  });
});

describe('the vehicle', () => {
  it('is released, taken back, released again and collected', async () => {
    const sold = await paidLot();
    const first = sandbox.actors.bank.release(sold.lotId, {
      recipient: 'R. Iyer',
      yard: 'Hubballi',
      validFor: 60_000,
    });
    expect(first).toMatchObject({
      kind: 'release',
      state: 'valid',
      data: {
        recipient: 'R. Iyer',
        yard: 'Hubballi',
        expires_at: '2026-03-01T10:01:00.000Z',
        collection_date: '2026-03-01',
      },
    });
    expect(sandbox.actors.bank.revoke(sold.saleId, 'Tomorrow')).toMatchObject({
      id: first.id,
      state: 'revoked',
      data: { reason: 'Tomorrow' },
    });
    const second = sandbox.actors.bank.release(sold.saleId);
    expect(sandbox.actors.bank.collect(sold.lotId, { collector: 'R. Iyer' })).toMatchObject({
      id: second.id,
      state: 'used',
      data: { collector: 'R. Iyer' },
    });
    expect(await inbox()).toEqual(
      expect.arrayContaining(['release.authorized', 'release.revoked', 'vehicle.collected']),
    );
  });

  it('can be found by the release’s own id', async () => {
    const sold = await paidLot();
    const { id } = sandbox.actors.bank.release(sold.lotId);
    expect(sandbox.actors.bank.collect(id)).toMatchObject({ id, state: 'used' });
    expect(() => sandbox.actors.bank.collect('rel_none')).toThrow(RangeError);
  });

  it('has no release before there is one', async () => {
    const sold = await paidLot();
    expect(() => sandbox.actors.bank.collect(sold.saleId)).toThrow(/no release/);
  });
});

describe('cancellations', () => {
  it('of bids are decided', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const { json } = await bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice });
    const request = await done(
      command(sandbox, sandbox.credentials.dealer, `/api/v1/bids/${json.data.bid_id}/cancellation-requests`, {
        reason_code: 'mistake',
        explanation: 'A zero too many',
      }),
    );
    expect(sandbox.actors.bank.decideCancellation(request.id)).toMatchObject({
      id: request.id,
      kind: 'cancellation',
      state: 'approved',
      data: { decision: 'approved', reason: 'Looked into.' },
    });
    expect(() => sandbox.actors.bank.decideCancellation('cxl_none')).toThrow(RangeError);
  });

  it('of sales are decided, and the refunds that they bring', async () => {
    const sold = await paidLot();
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    const request = await done(
      command(sandbox, sold.who, `/api/v1/sale-cases/${sold.saleId}/cancellation-requests`, {
        reason_code: 'buyer_withdrew',
        explanation: 'No yard for it',
        expected_version: resource_version,
      }),
    );
    expect(sandbox.actors.bank.decideCancellation(request.id)).toMatchObject({
      kind: 'sale_cancellation',
      state: 'approved',
    });
  });

  it('of payments, which are refunds, are decided', async () => {
    const sold = await paidLot();
    const [payment] = (await receiptsOf(sandbox, sold)).payments;
    const request = await done(
      command(sandbox, sold.who, `/api/v1/payments/${payment.id}/refund-requests`, {
        amount: '100.00',
        reason: 'Paid too much',
        expected_version: payment.resource_version,
      }),
    );
    expect(sandbox.actors.bank.decideRefund(request.id)).toMatchObject({
      id: request.id,
      kind: 'refund_request',
      state: 'approved',
    });
    expect(sandbox.records('refund')).toMatchObject([
      { data: { amount_paise: 10_000 }, state: 'approved_pending_execution' },
    ]);
    expect(() => sandbox.actors.bank.decideRefund('rfq_none')).toThrow(RangeError);
  });

  it('takes other words where a variant does', async () => {
    await anew({ variants: { 'decision-values': 'rejected-too' } });
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const { json } = await bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice });
    const path = `/api/v1/bids/${json.data.bid_id}/cancellation-requests`;
    const content = { reason_code: 'mistake', explanation: 'A zero too many' };
    const request = await done(command(sandbox, sandbox.credentials.dealer, path, content));
    expect(sandbox.actors.bank.decideCancellation(request.id, 'rejected', 'It stands')).toMatchObject({
      state: 'rejected',
      data: { decision: 'rejected', reason: 'It stands' },
    });
  });
});

describe('a hand', () => {
  it('arrives nowhere: it makes no attempt, counts in no rate, and is struck by no fault', async () => {
    await anew({ rateLimit: 2 });
    const lot = lotOf(sandbox, 'live-open').id;
    sandbox.actors.rival.bidNext(lot);
    sandbox.auctions.close('live-open');
    sandbox.inject({ fault: 'drop_before_commit' });
    sandbox.actors.bank.approve(lot);
    sandbox.actors.buyer.acknowledge(lot);
    sandbox.actors.bank.settle(lot);
    expect(sandbox.attempts()).toEqual([]);
    const { bank, rival } = sandbox.credentials;
    const dropped = send(sandbox, bank, { path: '/api/v1/sale-cases' });
    await expect(dropped).rejects.toThrow(TypeError);
    expect((await get(sandbox, rival, '/api/v1/sale-cases')).status).toBe(200);
    expect((await get(sandbox, rival, '/api/v1/sale-cases')).status).toBe(200);
    expect((await get(sandbox, rival, '/api/v1/sale-cases')).status).toBe(429);
  });

  it('acts for a client that may not, too: what it may by itself is another matter', async () => {
    const { saleId } = await wonLot(sandbox);
    const { bank, dealer } = sandbox.credentials;
    sandbox.partners.update(bank.clientId, { scopes: [], active: false });
    sandbox.partners.update(dealer.clientId, { keyRevoked: true });
    sandbox.actors.bank.approve(saleId);
    expect(sandbox.actors.buyer.acknowledge(saleId)).toMatchObject({ resource_version: 3 });
    expect((await get(sandbox, dealer, '/api/v1/sale-cases')).status).toBe(401);
  });

  it('acts for the buyer of a platform', async () => {
    const { platform } = sandbox.credentials;
    const sold = await wonLot(sandbox, { who: platform, bidder_reference: 'buyer-7' });
    sandbox.actors.bank.approve(sold.lotId);
    sandbox.actors.buyer.acknowledge(sold.lotId);
    sandbox.actors.bank.settle(sold.lotId);
    expect(sandbox.actors.bank.release(sold.lotId).data).toMatchObject({ recipient: 'buyer-7' });
    const acknowledged = sandbox.ledger().find(({ operation }) => operation === 'A23');
    expect(acknowledged).toMatchObject({ clientId: platform.clientId, saleId: sold.saleId });
  });

  it('knows what has become due before it acts', async () => {
    const { lotId, amount } = await wonLot(sandbox);
    sandbox.actors.bank.offer(lotId, { amount: plus(amount, 1), validFor: 1 });
    sandbox.clock.advance(1);
    expect(sandbox.actors.bank.approve(lotId)).toMatchObject({ state: 'approved', data: { amount } });
  });

  const refusals: [string, () => unknown, number, RegExp][] = [
    [
      'approve a sale twice',
      () => sandbox.actors.bank.approve(sale),
      409,
      /A22 was refused with 409: .*decided/,
    ],
    ['offer after the approval', () => sandbox.actors.bank.offer(sale, { amount: '1.00' }), 409, /A24/],
    ['release before the payment', () => sandbox.actors.bank.release(sale), 409, /A52/],
    ['receive nothing', () => sandbox.actors.bank.receive(sale, { amount: '0.00' }), 422, /A42.* amount: /],
    [
      'receive no amount',
      () => sandbox.actors.bank.receive(sale, { amount: 'a lot' }),
      422,
      /A42.* amount: /,
    ],
    ['report nothing', () => sandbox.actors.buyer.report(sale, { amount: '0' }), 422, /A36.* amount: /],
    [
      'use evidence that there is none',
      () => sandbox.actors.buyer.report(sale, { evidenceId: 'doc_none' }),
      422,
      /evidence_id: /,
    ],
  ];
  let sale = '';
  it.each(refusals)('can not %s, and nothing has changed', async (_, work, status, message) => {
    sale = (await approvedLot(sandbox)).saleId;
    const before = await picture(sandbox, [`/api/v1/sale-cases/${sale}/payment-dues`]);
    const error = caught(work);
    expect(error).toBeInstanceOf(ActorRefusedError);
    expect(error).toMatchObject({ status, message: expect.stringMatching(message) });
    if (status === 422) expect(Object.keys((error as ActorRefusedError).fields)).toHaveLength(1);
    expect(await picture(sandbox, [`/api/v1/sale-cases/${sale}/payment-dues`])).toEqual(before);
  });

  it('can not acknowledge before the approval', async () => {
    const { saleId } = await wonLot(sandbox);
    expect(caught(() => sandbox.actors.buyer.acknowledge(saleId))).toMatchObject({ status: 409, fields: {} });
  });

  it.each(['lot_none', 'sal_none', '', '__proto__'])('finds no sale %j', (id) => {
    expect(() => sandbox.actors.bank.approve(id)).toThrow(RangeError);
    expect(() => sandbox.actors.buyer.report(id)).toThrow(RangeError);
  });

  it('says that a lot has no sale yet', () => {
    expect(() => sandbox.actors.bank.approve(lotOf(sandbox, 'live-open').id)).toThrow(
      /when its auction closes/,
    );
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
