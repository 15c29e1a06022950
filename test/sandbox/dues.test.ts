import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { duesOf, evidence, inbox, paid, receiptsOf, reportBody, uploadBody } from './funds.js';
import { approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const dues = ({ saleId }: SoldLot) => `/api/v1/sale-cases/${saleId}/payment-dues`;
const receipts = ({ saleId }: SoldLot) => `/api/v1/sale-cases/${saleId}/receipts`;

/** A sale at any amount: without a grid. */
async function soldAt(amount: string): Promise<SoldLot> {
  const { dealer } = sandbox.credentials;
  sandbox.partners.update(dealer.clientId, { buyerLimit: '999999999999.99' });
  return approvedLot(sandbox, { label: 'live-no-grid', amount });
}

describe('A34', () => {
  it('reads literally, to bank and buyer alike', async () => {
    const sold = await soldAt('2500000.01');
    for (const who of [sold.who, sandbox.credentials.bank]) {
      expect((await get(sandbox, who, dues(sold))).json).toEqual({
        data: {
          sale_id: sold.saleId,
          currency: 'INR',
          due_amount: '2500000.01',
          verified_credits: '0.00',
          remaining: '2500000.01',
          excess: '0.00',
          state: 'unpaid',
          due_at: '2026-03-08T10:00:00.000Z',
          payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
          payee_version: 1,
          resource_version: 2,
        },
        server_time: '2026-03-01T10:00:00.000Z',
      });
    }
  });

  // rule: notification.inbox
  it('counts allocated money only, paisa by paisa, and moves with every allocation', async () => {
    const sold = await soldAt('2500000.01');
    await done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)));
    const payment = await paid(sandbox, sold, { amount: '2500000.02' });
    const seen = async () => {
      const { verified_credits, remaining, excess, state, resource_version } = (await duesOf(sandbox, sold))
        .data;
      expect(resource_version).toBe((await saleOf(sandbox, sold.saleId)).resource_version);
      return [resource_version, verified_credits, remaining, excess, state];
    };
    expect(await seen()).toEqual([2, '0.00', '2500000.01', '0.00', 'unpaid']);
    const steps = [
      ['0.01', [3, '0.01', '2500000.00', '0.00', 'partially_paid']],
      ['2499999.99', [4, '2500000.00', '0.01', '0.00', 'partially_paid']],
      ['0.01', [5, '2500000.01', '0.00', '0.00', 'paid']],
      ['0.01', [6, '2500000.02', '0.00', '0.01', 'paid']],
    ] as const;
    for (const [at, [amount, expected]] of steps.entries()) {
      const body = { sale_id: sold.saleId, amount, expected_version: at + 1 };
      const path = `/api/v1/payments/${payment.id}/allocations`;
      await done(command(sandbox, sandbox.credentials.bank, path, body));
      expect(await seen()).toEqual(expected);
    }
    for (const who of [sold.who, sandbox.credentials.bank]) {
      expect(await inbox(sandbox, who)).toEqual([
        'vehicle.status_changed',
        'sale.approved',
        'payment.reported',
        'payment.allocated',
        'sale.payment_status_changed',
        'payment.allocated',
        'payment.allocated',
        'sale.payment_status_changed',
        'payment.allocated',
      ]);
    }
    const { data } = (await get(sandbox, sold.who, '/api/v1/notifications')).json;
    const told = data.filter(({ type }: { type: string }) => type === 'sale.payment_status_changed');
    expect(told.map((notice: { subject: string }) => notice.subject)).toEqual([
      `Sale ${sold.saleId} is paid in full`,
      `Sale ${sold.saleId} is paid in part`,
    ]);
    expect(told.map((notice: { resource_version: number }) => notice.resource_version)).toEqual([5, 3]);
  });

  // rule: general.3
  it('is a 404 with a message of its own before the approval: nothing is due, nor paid', async () => {
    const pending = await wonLot(sandbox);
    for (const who of [pending.who, sandbox.credentials.bank]) {
      const { status, json } = await get(sandbox, who, dues(pending));
      expect([status, json]).toEqual([
        404,
        { message: 'Nothing is due: the sale is pending bank approval.' },
      ]);
    }
  });

  it('shows no sale of another partner', async () => {
    const { platform, rival } = sandbox.credentials;
    const sold = await approvedLot(sandbox);
    for (const [who, path] of [
      [platform, dues(sold)],
      [rival, dues(sold)],
      [sold.who, '/api/v1/sale-cases/sal_000000000000/payment-dues'],
      [platform, receipts(sold)],
      [rival, receipts(sold)],
      [sold.who, '/api/v1/sale-cases/sal_000000000000/receipts'],
    ] as const) {
      const { status, json } = await get(sandbox, who, path);
      expect([status, json]).toEqual([404, { message: 'Not found.' }]);
    }
  });
});

describe('A46', () => {
  it('is empty before anything came, even before the approval', async () => {
    const pending = await wonLot(sandbox);
    expect((await get(sandbox, pending.who, receipts(pending))).json).toEqual({
      data: { sale_id: pending.saleId, payments: [], documents: [], allocations: [] },
      server_time: '2026-03-01T10:00:00.000Z',
    });
  });

  it('lists the records of the sale as they are read one by one, oldest first, and those of no other', async () => {
    const { bank } = sandbox.credentials;
    const sold = await approvedLot(sandbox);
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    const scanned = await evidence(sandbox, sold, bank);
    await evidence(sandbox, other);
    const { id: waiting } = await done(
      command(sandbox, sold.who, '/api/v1/document-uploads', uploadBody(sold)),
    );
    const first = await paid(sandbox, sold, { amount: '1000.00' });
    const ids = { utr: 'U-2', external_transaction_id: 'E-2' };
    const second = await paid(sandbox, sold, { amount: '2000.00', ...ids });
    await paid(sandbox, other, { amount: '3000.00', utr: 'U-3', external_transaction_id: 'E-3' });
    const made: unknown[] = [];
    for (const [payment, amount] of [
      [second, '20.00'],
      [first, '10.00'],
    ] as const) {
      const path = `/api/v1/payments/${payment.id}/allocations`;
      const body = { sale_id: sold.saleId, amount, expected_version: 1 };
      made.push(await done(command(sandbox, bank, path, body)));
    }

    const shown = await receiptsOf(sandbox, sold);
    expect(Object.keys(shown)).toEqual(['sale_id', 'payments', 'documents', 'allocations']);
    expect(shown.allocations).toEqual(made);
    const one = async (path: string) => (await get(sandbox, bank, path)).json.data;
    expect(shown.payments).toEqual([
      await one(`/api/v1/payments/${first.id}`),
      await one(`/api/v1/payments/${second.id}`),
    ]);
    const documents = [await one(`/api/v1/documents/${scanned}`), await one(`/api/v1/documents/${waiting}`)];
    for (const { data } of documents) delete data.download_url;
    expect(shown.documents).toEqual(documents);
    expect(shown.documents.map(({ state }: { state: string }) => state)).toEqual(['ready', 'awaiting_scan']);
    expect((await get(sandbox, sold.who, receipts(sold))).json.data).toEqual(shown);
  });
});
