import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { all, duesOf, imported, inbox, paid, receiptsOf, reportBody } from './funds.js';
import { approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
  sold = await approvedLot(sandbox);
});
afterEach(() => sandbox.close());

const read = (id: string, who = sandbox.credentials.bank) => get(sandbox, who, `/api/v1/payments/${id}`);
const allocations = (id: string) => `/api/v1/payments/${id}/allocations`;
const allocate = (
  id: string,
  amount: string,
  expected_version: number,
  of = sold,
  who = sandbox.credentials.bank,
) => command(sandbox, who, allocations(id), { sale_id: of.saleId, amount, expected_version });
const lotVersion = async () =>
  (await get(sandbox, sold.who, `/api/v1/lots/${sold.lotId}/status`)).json.data.resource_version;

describe('A40', () => {
  // rule: state.payment
  it("is read by the sale's bank and its partner only", async () => {
    const { bank, platform, rival } = sandbox.credentials;
    const payment = await paid(sandbox, sold, { amount: '1000.00' });
    for (const who of [bank, sold.who]) {
      expect((await read(payment.id, who)).json).toEqual({
        data: payment,
        server_time: '2026-03-01T10:00:00.000Z',
      });
    }
    for (const none of [
      await read(payment.id, platform),
      await read(payment.id, rival),
      await read('pay_000000000000'),
    ]) {
      expect([none.status, none.json]).toEqual([404, { message: 'Not found.' }]);
    }
  });
});

it('a report, a receipt and a payment of one transfer are three records', async () => {
  const { bank } = sandbox.credentials;
  const report = await done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)));
  const receipt = await imported(sandbox, sold);
  const [payment] = (await receiptsOf(sandbox, sold)).payments;
  expect(new Set([report.id, receipt.id, payment.id]).size).toBe(3);
  for (const path of [
    `payments/${report.id}`,
    `payments/${receipt.id}`,
    `payment-reports/${payment.id}`,
    `payment-reports/${receipt.id}`,
  ]) {
    for (const who of [bank, sold.who]) {
      const { status, json } = await get(sandbox, who, `/api/v1/${path}`);
      expect([path, status, json]).toEqual([path, 404, { message: 'Not found.' }]);
    }
  }
  expect((await allocate(report.id, '1.00', 1)).status).toBe(404);
  expect((await duesOf(sandbox, sold)).data.verified_credits).toBe('0.00');
});

describe('A45', () => {
  // rule: state.allocation
  it('credits money to a sale, literally, and moves payment, sale and lot', async () => {
    const { bank } = sandbox.credentials;
    const payment = await paid(sandbox, sold, { amount: '1000.01' });
    const [sale, lot] = [await saleOf(sandbox, sold.saleId), await lotVersion()];
    sandbox.clock.advance(60_000);
    const { data } = (await allocate(payment.id, '1000.01', 1)).json;
    expect(data).toEqual({
      id: expect.stringMatching(/^alc_[0-9a-f]{12}$/),
      kind: 'allocation',
      state: 'allocated',
      resource_version: 1,
      data: {
        sale_id: sold.saleId,
        amount: '1000.01',
        payment_id: payment.id,
        amount_paise: 100001,
        currency: 'INR',
      },
      created_at: '2026-03-01T10:01:00.000Z',
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    expect((await read(payment.id)).json.data).toEqual({
      ...payment,
      resource_version: 2,
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    expect(await saleOf(sandbox, sold.saleId)).toEqual({
      ...sale,
      resource_version: sale.resource_version + 1,
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    expect(await lotVersion()).toBe(lot + 1);
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'allocation',
      operation: 'A45',
      saleId: sold.saleId,
      lotId: sold.lotId,
      amount: '1000.01',
    });
    for (const who of [bank, sold.who]) {
      expect(await inbox(sandbox, who)).toEqual([
        'vehicle.status_changed',
        'sale.approved',
        'payment.allocated',
        'sale.payment_status_changed',
      ]);
    }
  });

  // rule: state.allocation
  it('never credits more than the payment has left, to the paisa', async () => {
    const payment = await paid(sandbox, sold, { amount: '1000.00' });
    const all3 = () => all(sandbox, [sold], [`/api/v1/payments/${payment.id}`]);
    const steps = [
      ['1000.01', 422],
      ['999.98', 200],
      ['0.03', 422],
      ['0.01', 200],
      ['0.02', 422],
      ['0.01', 200],
      ['0.01', 422],
    ] as const;
    let version = 1;
    for (const [amount, status] of steps) {
      const before = await all3();
      const reply = await allocate(payment.id, amount, version);
      expect([amount, reply.status]).toEqual([amount, status]);
      if (status === 200) version += 1;
      else {
        expect(Object.keys(reply.json.errors)).toEqual(['amount']);
        expect(await all3()).toEqual(before);
      }
      expect((await read(payment.id)).json.data.resource_version).toBe(version);
    }
    expect((await duesOf(sandbox, sold)).data.verified_credits).toBe('1000.00');
  });

  it('keeps 12 digits exact', async () => {
    const payment = await paid(sandbox, sold, { amount: '999999999999.99' });
    const { data } = await done(allocate(payment.id, '999999999999.98', 1));
    expect(data).toMatchObject({ amount: '999999999999.98', amount_paise: 99999999999998 });
    expect((await allocate(payment.id, '0.02', 2)).status).toBe(422);
    expect((await allocate(payment.id, '0.01', 2)).status).toBe(200);
    expect((await duesOf(sandbox, sold)).data.verified_credits).toBe('999999999999.99');
  });

  it("splits a payment over the buyer's sales", async () => {
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    const payment = await paid(sandbox, sold, { amount: '1000.00' });
    await done(allocate(payment.id, '400.00', 1));
    const sale = await saleOf(sandbox, sold.saleId);
    await done(allocate(payment.id, '600.00', 2, other));
    const credits = async (of: SoldLot) => (await duesOf(sandbox, of)).data.verified_credits;
    expect([await credits(sold), await credits(other)]).toEqual(['400.00', '600.00']);
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
    const receipts = await receiptsOf(sandbox, other);
    expect(receipts.payments.map(({ id }: { id: string }) => id)).toEqual([payment.id]);
    expect(receipts.payments[0].data.sale_id).toBe(sold.saleId);
    expect(receipts.allocations.map((each: typeof payment) => each.data.amount)).toEqual(['600.00']);
  });

  it('credits no other buyer, not even one of the same platform', async () => {
    const { platform } = sandbox.credentials;
    const a = await approvedLot(sandbox, { who: platform, label: 'live-closed', bidder_reference: 'A' });
    const b = await approvedLot(sandbox, { who: platform, label: 'live-no-grid', bidder_reference: 'B' });
    const payment = await paid(sandbox, a, { amount: '1000.00' });
    const before = await all(sandbox, [a, b, sold]);
    for (const foreign of [b, sold]) {
      const { status, json } = await allocate(payment.id, '1.00', 1, foreign);
      expect([status, Object.keys(json.errors)]).toEqual([422, ['sale_id']]);
    }
    expect(await all(sandbox, [a, b, sold])).toEqual(before);
    expect((await allocate(payment.id, '1.00', 1, a)).status).toBe(200);
  });

  it('credits no other partner, where neither names a buyer', async () => {
    const { rival } = sandbox.credentials;
    const theirs = await approvedLot(sandbox, { who: rival, label: 'live-closed' });
    const payment = await paid(sandbox, sold, { amount: '1000.00' });
    const refused = await allocate(payment.id, '1.00', 1, theirs);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ['sale_id']]);
    expect((await duesOf(sandbox, theirs)).data.verified_credits).toBe('0.00');
  });

  it('credits a sale of the same buyer of a platform', async () => {
    const { platform } = sandbox.credentials;
    const a = await approvedLot(sandbox, { who: platform, label: 'live-closed', bidder_reference: 'A' });
    const b = await approvedLot(sandbox, { who: platform, label: 'live-no-grid', bidder_reference: 'A' });
    const payment = await paid(sandbox, a, { amount: '1000.00' });
    expect((await allocate(payment.id, '1.00', 1, b)).status).toBe(200);
  });

  it('credits no sale that is not approved', async () => {
    const pending = await wonLot(sandbox, { label: 'live-closed' });
    const payment = await paid(sandbox, sold, { amount: '1000.00' });
    const before = await all(sandbox, [sold, pending]);
    const { status, json } = await allocate(payment.id, '1.00', 1, pending);
    expect([status, json]).toEqual([409, { message: 'The sale is not approved.' }]);
    expect(await all(sandbox, [sold, pending])).toEqual(before);
  });
});
