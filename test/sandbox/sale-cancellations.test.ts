import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { get, onManualClock } from './caller.js';
import { duesOf, entryBody, heldToItsKey, receiptsOf, reportBody } from './funds.js';
import {
  allocate,
  askBack,
  askToCancel,
  authorize,
  cancel,
  collect,
  decideCancellation,
  deliver,
  dispute,
  entryOf,
  everything,
  news,
  type PaidLot,
  paidLot,
  paymentOf,
  refund,
  told,
} from './reversals.js';
import { approval, approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: PaidLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  await sandbox?.close();
  sandbox = await onManualClock({ variants });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

const asked = {
  reason_code: 'buyer_withdrew',
  explanation: 'The finance of the buyer fell through',
};
const approvedWords = { decision: 'approved', reason: 'Agreed with the buyer' };
const unpaid = async (): Promise<PaidLot> => ({ ...(await approvedLot(sandbox)), paymentId: 'pay_none' });
const detail = async ({ saleId }: SoldLot) => (await saleOf(sandbox, saleId)).state;
const lotStatus = async ({ lotId, who }: SoldLot) =>
  (await get(sandbox, who, `/api/v1/lots/${lotId}/status`)).json.data;

describe('A26, the request', () => {
  const path = () => `/api/v1/sale-cases/${sold.saleId}/cancellation-requests`;
  beforeEach(async () => {
    sold = await unpaid();
  });

  // rule: state.sale-cancellation
  it.each(['bank', 'dealer'] as const)('is made by the %s, literally, once under its key', async (name) => {
    const before = await saleOf(sandbox, sold.saleId);
    const who = sandbox.credentials[name];
    const made = await heldToItsKey(sandbox, who, path(), { ...asked, expected_version: 2 });
    expect(made).toEqual({
      id: expect.stringMatching(/^scn_/),
      kind: 'sale_cancellation',
      state: 'pending',
      resource_version: 1,
      data: asked,
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:00:00.000Z',
    });
    const after = await saleOf(sandbox, sold.saleId);
    expect(after).toEqual({ ...before, resource_version: 3, updated_at: '2026-03-01T10:00:00.000Z' });
    expect(sandbox.ledger().at(-1)).toMatchObject({
      operation: 'A26',
      saleId: sold.saleId,
      lotId: sold.lotId,
      bidId: sold.bidId,
    });
    for (const reader of [sandbox.credentials.bank, sold.who]) {
      expect((await news(sandbox, reader)).at(-1)).toBe('sale.cancellation_requested');
    }
    expect(await told(sandbox, 'sale.cancellation_requested')).toEqual([made.id]);
  });

  it('needs no explanation', async () => {
    const made = await done(askToCancel(sandbox, sold, { explanation: undefined }));
    expect(made.data).toEqual({ reason_code: 'buyer_withdrew', explanation: null });
  });

  // rule: state.sale-cancellation
  it.each<[string, () => Promise<PaidLot>, string]>([
    [
      'a sale that the bank has yet to decide',
      async () => ({ ...(await wonLot(sandbox, { label: 'live-closed' })), paymentId: 'pay_none' }),
      'The sale is not approved.',
    ],
    [
      'a sale whose cancellation is asked for already',
      async () => {
        await done(askToCancel(sandbox, sold, {}, sandbox.credentials.bank));
        return sold;
      },
      'A request to cancel this sale waits for its decision.',
    ],
    [
      'a sale that is cancelled',
      async () => {
        await cancel(sandbox, sold);
        return sold;
      },
      'The sale is cancelled.',
    ],
  ])('is refused for %s', async (_, prepare, message) => {
    sold = await prepare();
    const before = await everything(sandbox, [sold]);
    const got = await askToCancel(sandbox, sold);
    expect([got.status, got.json]).toEqual([409, { message }]);
    expect(await everything(sandbox, [sold])).toEqual(before);
  });
});

describe('while it is pending', () => {
  let id: string;
  const freeze = async () => {
    sold = await paidLot(sandbox);
    const { id: releaseId } = await done(authorize(sandbox, sold));
    id = (await done(askToCancel(sandbox, sold))).id;
    return releaseId;
  };
  const frozen = (what: string) => ({
    message: `${what} is frozen: cancellation request ${id} waits for its decision.`,
  });
  const report = () => command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold));

  // rule: state.sale-cancellation
  it('the vehicle and the money stand still', async () => {
    const releaseId = await freeze();
    const extra = await done(
      command(sandbox, sandbox.credentials.bank, '/api/v1/bank-receipts/imports', {
        ...entryBody(sold, entryOf(sold, 2)),
        amount: '10.00',
      }),
    );
    expect(extra.state).toBe('verified');
    const more = (await receiptsOf(sandbox, sold)).payments.at(-1);
    const before = await everything(sandbox, [sold], [`/api/v1/release-authorizations/${releaseId}`]);
    const tries: [string, Promise<{ status: number; json: unknown }>][] = [
      ['The collection', collect(sandbox, sold, releaseId)],
      ['The release', authorize(sandbox, sold)],
      ['The allocation', allocate(sandbox, more.id, sold.saleId, '10.00')],
      ['The payment report', report()],
    ];
    for (const [what, got] of tries) {
      const { status, json } = await got;
      expect([status, json]).toEqual([409, frozen(what)]);
    }
    expect(await everything(sandbox, [sold], [`/api/v1/release-authorizations/${releaseId}`])).toEqual(
      before,
    );
  });

  it('money that came for the sale pays for no other one either', async () => {
    sold = await paidLot(sandbox);
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    const { bank } = sandbox.credentials;
    const extra = { ...entryOf(sold, 2), amount: '10.00' };
    await done(command(sandbox, bank, '/api/v1/bank-receipts/imports', entryBody(sold, extra)));
    const more = (await receiptsOf(sandbox, sold)).payments.at(-1);
    id = (await done(askToCancel(sandbox, sold))).id;
    const before = await everything(sandbox, [sold]);
    const got = await allocate(sandbox, more.id, other.saleId, '10.00');
    expect([got.status, got.json]).toEqual([409, frozen('The allocation')]);
    expect(await everything(sandbox, [sold])).toEqual(before);
    await done(decideCancellation(sandbox, id));
    expect((await allocate(sandbox, more.id, other.saleId, '10.00')).status).toBe(200);
  });

  it('a release can be taken back, money can arrive, and the lot offers no report', async () => {
    sold = { ...(await approvedLot(sandbox)), paymentId: 'pay_none' };
    expect((await lotStatus(sold)).allowed_actions).toEqual(['acknowledge', 'report_payment']);
    await done(askToCancel(sandbox, sold));
    expect((await lotStatus(sold)).allowed_actions).toEqual(['acknowledge']);
    const url = '/api/v1/bank-receipts/imports';
    expect((await command(sandbox, sandbox.credentials.bank, url, entryBody(sold))).status).toBe(200);
  });
});

describe('A27, the decision', () => {
  let id: string;
  const path = () => `/api/v1/sale-cancellation-requests/${id}/decisions`;
  const ask = async () => {
    id = (await done(askToCancel(sandbox, sold))).id;
  };

  // rule: state.sale-cancellation
  it('approves, literally, once under its key', async () => {
    sold = await unpaid();
    await ask();
    const before = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(60_000);
    const body = { ...approvedWords, expected_version: 1 };
    const decided = await heldToItsKey(sandbox, sandbox.credentials.bank, path(), body);
    expect(decided).toEqual({
      id,
      kind: 'sale_cancellation',
      state: 'approved',
      resource_version: 2,
      data: { ...asked, ...approvedWords },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    // Nothing of what was approved is gone.
    expect(await saleOf(sandbox, sold.saleId)).toEqual({
      ...before,
      state: 'cancelled',
      resource_version: 4,
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    for (const reader of [sandbox.credentials.bank, sold.who]) {
      expect((await news(sandbox, reader)).at(-1)).toBe('sale.cancellation_approved');
    }
    expect((await lotStatus(sold)).inventory_state).toBe('published');
  });

  it('needs no reason', async () => {
    sold = await unpaid();
    await ask();
    expect((await done(decideCancellation(sandbox, id, { reason: undefined }))).data.reason).toBeNull();
  });

  // rule: state.sale-cancellation
  it('is refused for a delivered vehicle', async () => {
    sold = await paidLot(sandbox);
    await deliver(sandbox, sold);
    await ask();
    const before = await everything(sandbox, [sold]);
    const got = await decideCancellation(sandbox, id);
    expect([got.status, got.json]).toEqual([
      409,
      { message: 'The vehicle is delivered: this takes an exception or dispute workflow.' },
    ]);
    expect(await everything(sandbox, [sold])).toEqual(before);
  });
});

describe('a cancelled sale', () => {
  // rule: state.sale-cancellation
  it('takes the release back, and asks for what is credited, payment by payment', async () => {
    sold = await paidLot(sandbox);
    const release = await done(authorize(sandbox, sold));
    const url = '/api/v1/bank-receipts/imports';
    const extra = { ...entryOf(sold, 2), amount: '500.00' };
    await done(command(sandbox, sandbox.credentials.bank, url, entryBody(sold, extra)));
    const more = (await receiptsOf(sandbox, sold)).payments.at(-1);
    await done(allocate(sandbox, more.id, sold.saleId, '200.00'));
    const before = await receiptsOf(sandbox, sold);
    await cancel(sandbox, sold);
    const revoked = (await get(sandbox, sold.who, `/api/v1/release-authorizations/${release.id}`)).json.data;
    expect([revoked.state, revoked.resource_version, revoked.data.reason]).toEqual([
      'revoked',
      2,
      'The sale is cancelled.',
    ]);
    expect((await news(sandbox, sold.who)).slice(-4)).toEqual([
      'release.revoked',
      'refund.requested',
      'refund.requested',
      'sale.cancellation_approved',
    ]);
    const requests = await told(sandbox, 'refund.requested');
    const amounts: string[] = [];
    for (const request of requests) {
      const got = await command(
        sandbox,
        sandbox.credentials.bank,
        `/api/v1/refund-requests/${request}/decisions`,
        { decision: 'approved', expected_version: 1 },
      );
      amounts.push(got.json.data.data.amount);
      expect(got.json.data.data.refund_id).toMatch(/^rfd_/);
    }
    expect(amounts).toEqual([sold.amount, '200.00']);
    // The records of the money stay what they were; their versions count what happened to them.
    const after = await receiptsOf(sandbox, sold);
    expect(after.allocations).toEqual(before.allocations);
    expect(after.payments.map(({ data }: { data: unknown }) => data)).toEqual(
      before.payments.map(({ data }: { data: unknown }) => data),
    );
  });

  it('does not ask again for what is asked back or refunded already', async () => {
    sold = await paidLot(sandbox);
    await refund(sandbox, sold.paymentId, '1000.00');
    await done(askBack(sandbox, sold.paymentId, '500.00'));
    await cancel(sandbox, sold);
    const rest = (Number(sold.amount) - 1500).toFixed(2);
    const [, , last] = await told(sandbox, 'refund.requested');
    const got = await command(
      sandbox,
      sandbox.credentials.bank,
      `/api/v1/refund-requests/${last}/decisions`,
      { decision: 'approved', expected_version: 1 },
    );
    expect(got.json.data.data.amount).toBe(rest);
  });

  it('owes nothing, and says so', async () => {
    sold = await paidLot(sandbox);
    await cancel(sandbox, sold);
    expect((await duesOf(sandbox, sold)).data).toMatchObject({
      due_amount: '0.00',
      verified_credits: sold.amount,
      remaining: '0.00',
      excess: sold.amount,
      state: 'cancelled',
      resource_version: (await saleOf(sandbox, sold.saleId)).resource_version,
    });
    const status = await lotStatus(sold);
    expect(status.sale.state).toBe('cancelled');
    expect(status.payment).toMatchObject({ state: 'cancelled', due_amount: '0.00', remaining: '0.00' });
    expect(status.release).toBeNull();
    expect([status.inventory_state, status.allowed_actions]).toEqual(['published', []]);
  });

  it('is over for good: no command moves it, and money that still arrives is only written down', async () => {
    sold = await paidLot(sandbox);
    await cancel(sandbox, sold);
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    const sale = `/api/v1/sale-cases/${sold.saleId}`;
    const { bank } = sandbox.credentials;
    const before = await everything(sandbox, [sold]);
    const refused: [string, ReturnType<typeof command>][] = [
      [
        'The sale is decided already.',
        command(sandbox, bank, `${sale}/decisions`, await approval(sandbox, sold)),
      ],
      [
        'The sale is decided already.',
        command(sandbox, bank, `${sale}/offers`, {
          amount: '1.00',
          currency: 'INR',
          terms_version: 'T2',
          valid_until: '2026-03-02T10:00:00Z',
          expected_version: resource_version,
        }),
      ],
      [
        'The sale is cancelled.',
        command(sandbox, sold.who, `${sale}/acknowledgments`, {
          terms_version: 'T1',
          expected_version: resource_version,
        }),
      ],
      ['The sale is cancelled.', askToCancel(sandbox, sold)],
      ['The sale is cancelled.', authorize(sandbox, sold)],
      ['The sale is cancelled.', command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold))],
      ['The sale is cancelled.', allocate(sandbox, sold.paymentId, sold.saleId, '1.00')],
      [
        'The sale of this bid is cancelled: what can be cancelled now is the sale.',
        command(sandbox, sold.who, `/api/v1/bids/${sold.bidId}/cancellation-requests`, { reason_code: 'x' }),
      ],
    ];
    for (const [message, got] of refused) {
      const { status, json } = await got;
      expect([status, json]).toEqual([409, { message }]);
    }
    expect(await everything(sandbox, [sold])).toEqual(before);

    const url = '/api/v1/bank-receipts/imports';
    const late = { ...entryOf(sold, 2), amount: '77.00' };
    await done(command(sandbox, bank, url, entryBody(sold, late)));
    const more = (await receiptsOf(sandbox, sold)).payments.at(-1);
    expect(await detail(sold)).toBe('cancelled');
    expect((await askBack(sandbox, more.id, '77.00')).status).toBe(200);
  });

  it('frees no money for another sale but what was never credited', async () => {
    sold = await paidLot(sandbox);
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    await cancel(sandbox, sold);
    const got = await allocate(sandbox, sold.paymentId, other.saleId, '0.01');
    expect([got.status, Object.keys(got.json.errors)]).toEqual([422, ['amount']]);
    expect((await paymentOf(sandbox, sold.paymentId)).state).toBe('succeeded');
  });

  it('can be disputed', async () => {
    sold = await paidLot(sandbox);
    await cancel(sandbox, sold);
    expect((await dispute(sandbox, sold)).status).toBe(200);
  });
});
