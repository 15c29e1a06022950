import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { get, onManualClock } from './caller.js';
import { duesOf, heldToItsKey, paid } from './funds.js';
import {
  allocate,
  askBack,
  authorize,
  collect,
  decideRefund,
  deliver,
  entryOf,
  everything,
  news,
  type PaidLot,
  paidLot,
  paymentOf,
  refund,
} from './reversals.js';
import { approvedLot, command, done, saleOf } from './workflow.js';

let sandbox: Sandbox;
let sold: PaidLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  await sandbox?.close();
  sandbox = await onManualClock({ variants });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

/** A sale at 1,000 rupees, with 1,500 on the account, of which nothing is allocated. */
async function fundedLot(label = 'live-no-grid'): Promise<PaidLot> {
  const lot = await approvedLot(sandbox, { label });
  const payment = await paid(sandbox, lot, { ...entryOf(lot), amount: '1500.00' });
  return { ...lot, paymentId: payment.id };
}
const refundOf = (id: string, who = sandbox.credentials.bank) => get(sandbox, who, `/api/v1/refunds/${id}`);
const credits = async ({ saleId }: { saleId: string }) => {
  const { data } = await duesOf(sandbox, { ...sold, saleId });
  return [data.verified_credits, data.state];
};
/** How much can be allocated: one paisa more is refused. */
const isFree = async (amount: string) => {
  const more = (Number(amount) + 0.01).toFixed(2);
  const refused = await allocate(sandbox, sold.paymentId, sold.saleId, more);
  expect([refused.status, refused.json.errors]).toEqual([
    422,
    { amount: [`Only INR ${amount} of the payment are free.`] },
  ]);
};

describe('A47, the request', () => {
  const path = () => `/api/v1/payments/${sold.paymentId}/refund-requests`;
  beforeEach(async () => {
    sold = await fundedLot();
  });

  // rule: state.refund-request, convention.3
  it.each(['bank', 'dealer'] as const)('is made by the %s, literally, once under its key', async (name) => {
    const who = sandbox.credentials[name];
    const body = { amount: '200.50', reason: 'Paid twice', expected_version: 1 };
    const made = await heldToItsKey(sandbox, who, path(), body);
    expect(made).toEqual({
      id: expect.stringMatching(/^rfr_/),
      kind: 'refund_request',
      state: 'pending',
      resource_version: 1,
      data: { amount: '200.50', reason: 'Paid twice' },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:00:00.000Z',
    });
    expect(sandbox.ledger().at(-1)).toMatchObject({
      operation: 'A47',
      saleId: sold.saleId,
      lotId: sold.lotId,
      amount: '200.50',
    });
    expect((await paymentOf(sandbox, sold.paymentId)).resource_version).toBe(2);
    for (const reader of [sandbox.credentials.bank, sold.who]) {
      expect((await news(sandbox, reader)).at(-1)).toBe('refund.requested');
    }
    // Until the bank decides, the money stays free for allocations.
    await isFree('1500.00');
  });

  it('needs no reason', async () => {
    const made = await done(askBack(sandbox, sold.paymentId, '1.00', { reason: undefined }));
    expect(made.data).toEqual({ amount: '1.00', reason: null });
  });

  // rule: state.refund-request
  it('excludes earlier refunds and pending requests, to the paisa, and not those that came to nothing', async () => {
    await start({ 'decision-values': 'rejected-too' });
    sold = await fundedLot();
    const atMost = async (amount: string) => {
      const more = (Number(amount) + 0.01).toFixed(2);
      const got = await askBack(sandbox, sold.paymentId, more);
      expect([got.status, got.json.errors]).toEqual([
        422,
        { amount: [`Only INR ${amount} of the payment are not refunded or asked back yet.`] },
      ]);
    };
    await atMost('1500.00');
    const first = await refund(sandbox, sold.paymentId, '400.00');
    await atMost('1100.00');
    const pending = await done(askBack(sandbox, sold.paymentId, '100.01'));
    await atMost('999.99');
    sandbox.actors.set(first, 'succeeded');
    await atMost('999.99');
    await done(decideRefund(sandbox, pending.id, { decision: 'rejected' }));
    await atMost('1100.00');
    const second = await refund(sandbox, sold.paymentId, '1100.00');
    await atMost('0.00');
    sandbox.actors.set(second, 'failed');
    await atMost('1100.00');
    expect((await askBack(sandbox, sold.paymentId, '1100.00')).status).toBe(200);
  });
});

describe('A48, the decision', () => {
  let id: string;
  const path = () => `/api/v1/refund-requests/${id}/decisions`;
  beforeEach(async () => {
    sold = await fundedLot();
    id = (await done(askBack(sandbox, sold.paymentId, '200.50', {}, sold.who))).id;
  });

  // rule: state.refund-request, state.refund
  it('approves, literally, once under its key; the refund is to be carried out', async () => {
    sandbox.clock.advance(60_000);
    const body = { decision: 'approved', reason: 'Checked', expected_version: 1 };
    const decided = await heldToItsKey(sandbox, sandbox.credentials.bank, path(), body);
    expect(decided).toEqual({
      id,
      kind: 'refund_request',
      state: 'approved',
      resource_version: 2,
      data: {
        amount: '200.50',
        reason: 'Checked',
        decision: 'approved',
        refund_id: expect.stringMatching(/^rfd_/),
      },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect((await refundOf(decided.data.refund_id, who)).json).toEqual({
        data: {
          id: decided.data.refund_id,
          kind: 'refund',
          state: 'approved_pending_execution',
          resource_version: 1,
          data: {
            request_id: id,
            payment_id: sold.paymentId,
            amount_paise: 20_050,
            currency: 'INR',
            execution: 'pending',
          },
          created_at: '2026-03-01T10:01:00.000Z',
          updated_at: '2026-03-01T10:01:00.000Z',
        },
        server_time: '2026-03-01T10:01:00.500Z',
      });
      expect((await news(sandbox, who)).at(-1)).toBe('refund.approved');
    }
    expect((await paymentOf(sandbox, sold.paymentId)).resource_version).toBe(3);
    await isFree('1299.50');
  });
});

describe('A49, a refund', () => {
  // rule: state.refund
  it('is read by its bank and its partner only', async () => {
    sold = await fundedLot();
    const id = await refund(sandbox, sold.paymentId, '1.00');
    const { rival, platform, otherBank } = sandbox.credentials;
    const unknown = await refundOf('rfd_none');
    expect(unknown.status).toBe(404);
    for (const who of [rival, platform, otherBank]) {
      const got = await refundOf(id, who);
      expect([got.status, got.json]).toEqual([404, unknown.json]);
    }
  });
});

describe('the hand on refunds', () => {
  let id: string;
  beforeEach(async () => {
    sold = await fundedLot();
    id = await refund(sandbox, sold.paymentId, '500.00');
  });

  // rule: state.refund
  it.each<[string, ('processing' | 'succeeded' | 'failed')[], string]>([
    ['carried out', ['processing', 'succeeded'], 'done'],
    ['carried out at once', ['succeeded'], 'done'],
    ['on its way', ['processing'], 'processing'],
    ['failed', ['processing', 'failed'], 'failed'],
    ['failed at once', ['failed'], 'failed'],
  ])('moves one: %s', async (_, moves, execution) => {
    for (const [index, to] of moves.entries()) {
      sandbox.clock.advance(1_000);
      const moved = sandbox.actors.set(id, to);
      expect(moved).toEqual(sandbox.records('refund')[0]);
      expect(moved).toMatchObject({
        id,
        state: to,
        data: { payment_id: sold.paymentId, amount_paise: 50_000 },
      });
      const read = (await refundOf(id, sold.who)).json.data;
      expect([read.state, read.resource_version]).toEqual([to, index + 2]);
      expect((await news(sandbox, sold.who)).at(-1)).toBe(`refund.${to}`);
    }
    const last = (await refundOf(id)).json.data;
    expect(last.data.execution).toBe(execution);
    expect(last.updated_at).toBe(new Date(sandbox.clock.now()).toISOString());
    await isFree(moves.includes('failed') ? '1500.00' : '1000.00');
  });

  // rule: state.refund
  it('moves none that is at its end, nor back, nor one that is not there', () => {
    sandbox.actors.set(id, 'processing');
    expect(() => sandbox.actors.set(id, 'processing')).toThrow(RangeError);
    sandbox.actors.set(id, 'succeeded');
    const before = sandbox.records('refund');
    for (const to of ['processing', 'succeeded', 'failed'] as const) {
      expect(() => sandbox.actors.set(id, to)).toThrow(`refund ${id} is succeeded`);
    }
    expect(() => sandbox.actors.set('rfd_none', 'failed')).toThrow('the sandbox has no record "rfd_none"');
    expect(sandbox.records('refund')).toEqual(before);
  });
});

describe('money that is allocated', () => {
  // rule: state.refund-request
  it('goes back after what is free; its sale loses the credit with the approval, not before', async () => {
    sold = await paidLot(sandbox);
    const cut = (amount: number) => (Number(sold.amount) - amount).toFixed(2);
    const before = await saleOf(sandbox, sold.saleId);
    const { id } = await done(askBack(sandbox, sold.paymentId, '100.00'));
    expect(await credits(sold)).toEqual([sold.amount, 'paid']);
    expect((await saleOf(sandbox, sold.saleId)).resource_version).toBe(before.resource_version);
    const { data } = await done(decideRefund(sandbox, id));
    expect(await credits(sold)).toEqual([cut(100), 'partially_paid']);
    expect((await saleOf(sandbox, sold.saleId)).resource_version).toBe(before.resource_version + 1);
    expect((await news(sandbox, sold.who)).slice(-2)).toEqual([
      'refund.approved',
      'sale.payment_status_changed',
    ]);
    sandbox.actors.set(data.refund_id, 'failed');
    expect(await credits(sold)).toEqual([sold.amount, 'paid']);
    expect((await saleOf(sandbox, sold.saleId)).resource_version).toBe(before.resource_version + 2);
    expect((await news(sandbox, sold.who)).slice(-2)).toEqual([
      'refund.failed',
      'sale.payment_status_changed',
    ]);
  });

  it('is taken from cancelled sales first, then from the latest allocation', async () => {
    sandbox.partners.update(sandbox.credentials.dealer.clientId, { buyerLimit: '99999999.00' });
    const [first, second, third] = [
      await paidLot(sandbox),
      await approvedLot(sandbox, { label: 'live-closed' }),
      await approvedLot(sandbox, { label: 'live-legacy', amount: await legacyOpening() }),
    ];
    sold = first;
    const payment = await paid(sandbox, first, { ...entryOf(first, 2), amount: '1000.00' });
    await done(allocate(sandbox, payment.id, second.saleId, '300.00'));
    await done(allocate(sandbox, payment.id, first.saleId, '300.00'));
    await done(allocate(sandbox, payment.id, third.saleId, '300.00'));
    const free = '100.00';
    const { bank } = sandbox.credentials;
    const scn = await done(
      command(sandbox, bank, `/api/v1/sale-cases/${second.saleId}/cancellation-requests`, {
        reason_code: 'x',
        expected_version: (await saleOf(sandbox, second.saleId)).resource_version,
      }),
    );
    const work = `/api/v1/sale-cancellation-requests/${scn.id}/decisions`;
    await done(command(sandbox, bank, work, { decision: 'approved', expected_version: 1 }));
    // The cancellation asked for its 300 itself; a refund of 100 + 300 takes what is free and the latest.
    const others = async () => [
      (await credits(second))[0],
      (await credits(first))[0],
      (await credits(third))[0],
    ];
    const paidInFirst = (Number(first.amount) + 300).toFixed(2);
    expect(await others()).toEqual(['300.00', paidInFirst, '300.00']);
    await refund(sandbox, payment.id, (Number(free) + 200).toFixed(2));
    expect(await others()).toEqual(['300.00', paidInFirst, '100.00']);
    await refund(sandbox, payment.id, '150.00');
    expect(await others()).toEqual(['300.00', (Number(paidInFirst) - 50).toFixed(2), '0.00']);
  });

  it('of a delivered vehicle stays, but for the excess', async () => {
    sold = await paidLot(sandbox);
    const payment = await paid(sandbox, sold, { ...entryOf(sold, 2), amount: '100.00' });
    await done(allocate(sandbox, payment.id, sold.saleId, '60.00'));
    await deliver(sandbox, sold);
    const got = await askBack(sandbox, payment.id, '100.00');
    expect(got.status).toBe(200);
    const more = await askBack(sandbox, sold.paymentId, '0.01');
    expect([more.status, Object.keys(more.json.errors)]).toEqual([422, ['amount']]);
  });

  // rule: state.release
  it('that is asked back keeps the vehicle in its yard, until the bank decides', async () => {
    await start({ 'decision-values': 'rejected-too' });
    sold = await paidLot(sandbox);
    const release = await done(authorize(sandbox, sold));
    const { id } = await done(askBack(sandbox, sold.paymentId, '0.01'));
    const before = await everything(sandbox, [sold]);
    for (const got of [await authorize(sandbox, sold), await collect(sandbox, sold, release.id)]) {
      expect([got.status, got.json]).toEqual([
        409,
        { message: 'Money of the sale is asked back, and the bank has not decided that yet.' },
      ]);
    }
    expect(await everything(sandbox, [sold])).toEqual(before);
    await done(decideRefund(sandbox, id, { decision: 'rejected' }));
    expect((await collect(sandbox, sold, release.id)).status).toBe(200);
  });

  // rule: state.release
  it('that is refunded makes a valid release worth nothing, until it is paid again', async () => {
    sold = await paidLot(sandbox);
    const release = await done(authorize(sandbox, sold));
    await refund(sandbox, sold.paymentId, '0.01');
    const before = await everything(sandbox, [sold]);
    const got = await collect(sandbox, sold, release.id);
    expect([got.status, got.json]).toEqual([
      409,
      { message: 'INR 0.01 of the sale are not paid and allocated yet.' },
    ]);
    expect(await everything(sandbox, [sold])).toEqual(before);
    const payment = await paid(sandbox, sold, { ...entryOf(sold, 2), amount: '0.01' });
    await done(allocate(sandbox, payment.id, sold.saleId, '0.01'));
    expect((await collect(sandbox, sold, release.id)).status).toBe(200);
  });
});

// rule: state.allocation
it('of a payment, what is asked back can be allocated until the bank decides, and what is refunded can not', async () => {
  sold = await fundedLot();
  const request = await done(askBack(sandbox, sold.paymentId, '600.00'));
  await isFree('1500.00');
  await done(allocate(sandbox, sold.paymentId, sold.saleId, '1200.00'));
  const reply = await done(decideRefund(sandbox, request.id));
  // 300 were free, and 300 of the credits follow the refund.
  await isFree('0.00');
  expect((await credits(sold))[0]).toBe('900.00');
  sandbox.actors.set(reply.data.refund_id, 'failed');
  await isFree('300.00');
  expect((await credits(sold))[0]).toBe('1200.00');
});

// rule: state.allocation
it('a request and an allocation of the same money at once: one holds', async () => {
  sold = await fundedLot();
  const body = { amount: '1500.00', expected_version: 1 };
  const { bank } = sandbox.credentials;
  const url = `/api/v1/payments/${sold.paymentId}`;
  const replies = await Promise.all([
    command(sandbox, bank, `${url}/allocations`, { ...body, sale_id: sold.saleId }),
    command(sandbox, bank, `${url}/refund-requests`, body),
  ]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
});

async function legacyOpening(): Promise<string> {
  const { lots, increment } = sandbox.auctions.get('live-legacy');
  return (Number(lots[0]?.startingPrice) + Number(increment)).toFixed(2);
}
