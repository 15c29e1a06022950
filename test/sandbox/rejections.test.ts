import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, onManualClock } from './caller.js';
import { duesOf, entryBody, imported, reportBody } from './funds.js';
import {
  allocate,
  askBack,
  askToCancel,
  authorize,
  cancel,
  collect,
  decideCancellation,
  decideRefund,
  everything,
  news,
  type PaidLot,
  paidLot,
  paymentOf,
} from './reversals.js';
import { approval, approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

/** With `decision-values` at rejected-too: what is asked of the bank, it can also refuse. */
let sandbox: Sandbox;
let sold: PaidLot;
beforeEach(async () => {
  sandbox = await onManualClock({ variants: { 'decision-values': 'rejected-too' } });
});
afterEach(() => sandbox.close());

const rejected = { decision: 'rejected', reason: 'Not this time' };
const bank = () => sandbox.credentials.bank;
const inSight = async (lot: SoldLot): Promise<PaidLot> => ({ ...lot, paymentId: 'pay_none' });
const lotStatus = async ({ lotId, who }: SoldLot) =>
  (await get(sandbox, who, `/api/v1/lots/${lotId}/status`)).json.data;

describe('A22: a sale that the bank rejects', () => {
  const path = () => `/api/v1/sale-cases/${sold.saleId}`;
  const reject = async (change: Record<string, unknown> = {}) => {
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    return command(sandbox, bank(), `${path()}/decisions`, {
      ...rejected,
      expected_version: resource_version,
      ...change,
    });
  };
  beforeEach(async () => {
    sold = await inSight(await wonLot(sandbox));
  });

  it('needs nothing but the decision, and keeps the amount of the bid', async () => {
    const before = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(1_000);
    const got = await done(reject({ reason: undefined }));
    const { active_offer: _, ...data } = before.data;
    expect(got).toEqual({
      ...before,
      data,
      state: 'rejected',
      resource_version: 2,
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    for (const who of [bank(), sold.who]) expect((await news(sandbox, who)).at(-1)).toBe('sale.rejected');
    const status = await lotStatus(sold);
    expect([status.sale.state, status.payment, status.allowed_actions, status.inventory_state]).toEqual([
      'rejected',
      null,
      [],
      'published',
    ]);
    const updates = await get(sandbox, sold.who, '/api/v1/winner-updates');
    expect(updates.json.data).toEqual([]);
  });

  it('takes an offer with it, open or accepted', async () => {
    const offer = await done(
      command(sandbox, bank(), `${path()}/offers`, {
        amount: '1000.00',
        currency: 'INR',
        terms_version: 'T2',
        valid_until: '2026-03-02T10:00:00Z',
        expected_version: 1,
      }),
    );
    await done(reject());
    expect((await saleOf(sandbox, sold.saleId)).data.active_offer).toBeNull();
    expect((await news(sandbox, sold.who)).slice(-2)).toEqual(['offer.superseded', 'sale.rejected']);
    const answer = await command(sandbox, sold.who, `/api/v1/offers/${offer.id}/responses`, {
      decision: 'accepted',
      terms_version: 'T2',
      expected_version: 2,
    });
    expect([answer.status, answer.json.message]).toEqual([409, 'The offer is not open: it is superseded.']);
  });

  // rule: state.sale
  it('is over for good', async () => {
    await done(reject());
    const { resource_version: expected_version } = await saleOf(sandbox, sold.saleId);
    const before = await everything(sandbox, [sold]);
    const tries: [string, ReturnType<typeof command>][] = [
      ['The sale is decided already.', reject()],
      [
        'The sale is decided already.',
        command(sandbox, bank(), `${path()}/decisions`, await approval(sandbox, sold)),
      ],
      [
        'The sale is decided already.',
        command(sandbox, bank(), `${path()}/offers`, {
          amount: '1.00',
          currency: 'INR',
          terms_version: 'T2',
          valid_until: '2026-03-02T10:00:00Z',
          expected_version,
        }),
      ],
      [
        'The sale is not approved.',
        command(sandbox, sold.who, `${path()}/acknowledgments`, { terms_version: 'T1', expected_version }),
      ],
      ['The sale is not approved.', askToCancel(sandbox, sold)],
      ['The sale is not approved.', authorize(sandbox, sold)],
      ['The sale is not approved.', command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold))],
      [
        'The sale is not approved.',
        command(sandbox, bank(), '/api/v1/bank-receipts/imports', entryBody(sold)),
      ],
      [
        'The sale of this bid is rejected: what can be cancelled now is the sale.',
        command(sandbox, sold.who, `/api/v1/bids/${sold.bidId}/cancellation-requests`, { reason_code: 'x' }),
      ],
    ];
    for (const [message, got] of tries) {
      const { status, json } = await got;
      expect([status, json]).toEqual([409, { message }]);
    }
    const dues = await get(sandbox, sold.who, `${path()}/payment-dues`);
    expect([dues.status, dues.json]).toEqual([404, { message: 'Nothing is due: the sale is rejected.' }]);
    expect(await everything(sandbox, [sold])).toEqual(before);
  });

  it('is no way back from an approval', async () => {
    await done(command(sandbox, bank(), `${path()}/decisions`, await approval(sandbox, sold)));
    expect((await reject()).json.message).toBe('The sale is decided already.');
    expect((await saleOf(sandbox, sold.saleId)).state).toBe('approved');
  });

  it('knows two words, and no third', async () => {
    const before = await everything(sandbox, [sold]);
    for (const decision of ['declined', 'Rejected', ' rejected', 'verified', '__proto__']) {
      const got = await reject({ decision });
      expect([got.status, got.json.errors]).toEqual([
        422,
        { decision: ['This sandbox knows the decisions approved and rejected only.'] },
      ]);
    }
    expect(await everything(sandbox, [sold])).toEqual(before);
  });
});

// rule: state.cancellation
it('A09: a bid whose cancellation is rejected counts on, and may be asked about again', async () => {
  const lot = lotOf(sandbox, 'live-open');
  const made = await bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.startingPrice });
  const url = `/api/v1/bids/${made.json.data.bid_id}/cancellation-requests`;
  const ask = () => command(sandbox, sandbox.credentials.dealer, url, { reason_code: 'typo' });
  const status = async () =>
    (await get(sandbox, sandbox.credentials.dealer, `/api/v1/lots/${lot.id}/status`)).json;
  const { id } = await done(ask());
  const before = (await status()).data;
  const decisions = `/api/v1/bid-cancellation-requests/${id}/decisions`;
  const got = await done(command(sandbox, bank(), decisions, { ...rejected, expected_version: 1 }));
  expect([got.state, got.resource_version, got.data.decision, got.data.reason]).toEqual([
    'rejected',
    2,
    'rejected',
    'Not this time',
  ]);
  expect((await status()).data).toEqual(before);
  expect((await news(sandbox, bank())).at(-1)).toBe('bid.cancellation_rejected');
  const late = { decision: 'approved', expected_version: 2 };
  const again = await command(sandbox, bank(), decisions, late);
  expect([again.status, again.json.message]).toEqual([409, 'The request is decided already.']);
  expect((await ask()).status).toBe(200);
});

// rule: state.sale-cancellation
it('A27: a sale whose cancellation is rejected goes on where it stood', async () => {
  sold = await paidLot(sandbox);
  const release = await done(authorize(sandbox, sold));
  const { id } = await done(askToCancel(sandbox, sold));
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  const got = await done(decideCancellation(sandbox, id, rejected));
  expect([got.state, got.resource_version, got.data.decision, got.data.reason]).toEqual([
    'rejected',
    2,
    'rejected',
    'Not this time',
  ]);
  const sale = await saleOf(sandbox, sold.saleId);
  expect([sale.state, sale.resource_version]).toEqual(['approved', resource_version + 1]);
  expect((await news(sandbox, sold.who)).at(-1)).toBe('sale.cancellation_rejected');
  expect((await duesOf(sandbox, sold)).data.state).toBe('paid');
  expect((await decideCancellation(sandbox, id, { expected_version: 2 })).status).toBe(409);
  const second = await done(askToCancel(sandbox, sold));
  await done(decideCancellation(sandbox, second.id, rejected));
  expect((await collect(sandbox, sold, release.id)).status).toBe(200);
});

it('A27: a cancellation of a delivered vehicle can still be rejected', async () => {
  sold = await paidLot(sandbox);
  await done(collect(sandbox, sold, (await done(authorize(sandbox, sold))).id));
  const { id } = await done(askToCancel(sandbox, sold));
  expect((await decideCancellation(sandbox, id)).status).toBe(409);
  expect((await decideCancellation(sandbox, id, rejected)).status).toBe(200);
});

describe('A38: a report that the bank rejects', () => {
  let id: string;
  const decide = (change: Record<string, unknown>) =>
    command(sandbox, bank(), `/api/v1/payment-reports/${id}/decisions`, { expected_version: 1, ...change });
  beforeEach(async () => {
    sold = await inSight(await approvedLot(sandbox));
    id = (await done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)))).id;
  });

  // rule: state.payment-report
  it('needs no receipt, credits nothing, and is over', async () => {
    const got = await done(decide(rejected));
    expect([got.state, got.resource_version]).toEqual(['rejected', 2]);
    expect(got.data).toEqual({
      ...reportBody(sold),
      external_reference: null,
      evidence_id: null,
      ...rejected,
    });
    expect((await get(sandbox, sold.who, `/api/v1/payment-reports/${id}`)).json.data).toEqual(got);
    expect((await news(sandbox, sold.who)).at(-1)).toBe('payment.rejected');
    expect((await duesOf(sandbox, sold)).data.state).toBe('unpaid');
    const receipt = await imported(sandbox, sold);
    const late = await decide({
      decision: 'verified',
      bank_receipt_id: receipt.id,
      bank_account_reference: 'COLLECTION-7',
      received_amount: sold.amount,
      currency: 'INR',
      expected_version: 2,
    });
    expect([late.status, late.json.message]).toEqual([
      409,
      'The payment report is not reported pending verification: it is rejected.',
    ]);
  });

  it('can be made anew, under the same utr', async () => {
    const again = () => command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold));
    expect((await again()).status).toBe(409);
    await done(decide(rejected));
    expect((await again()).status).toBe(200);
    expect((await again()).status).toBe(409);
  });

  it('is not what approved means here', async () => {
    const got = await decide({ decision: 'approved' });
    expect([got.status, Object.keys(got.json.errors)]).toEqual([422, ['decision']]);
  });
});

// rule: state.refund-request
it('A48: money of a request that is rejected is where it was', async () => {
  sold = await paidLot(sandbox);
  const { id } = await done(askBack(sandbox, sold.paymentId, sold.amount));
  const { resource_version } = await paymentOf(sandbox, sold.paymentId);
  const got = await done(decideRefund(sandbox, id, rejected));
  expect([got.state, got.resource_version, got.data]).toEqual([
    'rejected',
    2,
    { amount: sold.amount, reason: 'Not this time', decision: 'rejected', refund_id: null },
  ]);
  expect((await news(sandbox, sold.who)).at(-1)).toBe('refund.rejected');
  expect(sandbox.records('refund')).toEqual([]);
  expect((await paymentOf(sandbox, sold.paymentId)).resource_version).toBe(resource_version + 1);
  expect((await duesOf(sandbox, sold)).data.verified_credits).toBe(sold.amount);
  expect((await decideRefund(sandbox, id, { expected_version: 2 })).status).toBe(409);
  expect((await allocate(sandbox, sold.paymentId, sold.saleId, '0.01')).status).toBe(422);
  expect((await askBack(sandbox, sold.paymentId, sold.amount)).status).toBe(200);
});

it('a cancelled sale stays cancelled, whatever is decided about it later', async () => {
  sold = await paidLot(sandbox);
  const id = await cancel(sandbox, sold);
  const before = await everything(sandbox, [sold]);
  expect((await decideCancellation(sandbox, id, { ...rejected, expected_version: 2 })).status).toBe(409);
  expect(await everything(sandbox, [sold])).toEqual(before);
});
