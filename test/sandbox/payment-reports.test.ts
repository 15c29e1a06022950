import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { all, duesOf, evidence, imported, inbox, reportBody } from './funds.js';
import { approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
  sold = await approvedLot(sandbox);
});
afterEach(() => sandbox.close());

const reports = '/api/v1/payment-reports';
const report = (change: Record<string, unknown> = {}, of = sold, who = of.who) =>
  command(sandbox, who, reports, reportBody(of, change));
const read = (id: string, who = sold.who) => get(sandbox, who, `${reports}/${id}`);

describe('A36', () => {
  // rule: state.payment-report
  it('records what the partner says, literally, and credits nothing', async () => {
    const before = await duesOf(sandbox, sold);
    const sale = await saleOf(sandbox, sold.saleId);
    const evidence_id = await evidence(sandbox, sold);
    const { json } = await report({ amount: '0.01', evidence_id, external_reference: 'ERP-88' });
    expect(json.data).toEqual({
      id: expect.stringMatching(/^prp_[0-9a-f]{12}$/),
      kind: 'payment_report',
      state: 'reported_pending_verification',
      resource_version: 1,
      data: {
        sale_id: sold.saleId,
        amount: '0.01',
        currency: 'INR',
        method: 'bank_transfer',
        utr: 'EXMPN26060000017',
        paid_at: '2026-03-01T15:30:00+05:30',
        external_reference: 'ERP-88',
        evidence_id,
      },
      created_at: '2026-03-01T10:00:01.000Z',
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect(await duesOf(sandbox, sold)).toEqual({ ...before, server_time: '2026-03-01T10:00:01.000Z' });
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'payment_report',
      operation: 'A36',
      saleId: sold.saleId,
      lotId: sold.lotId,
      amount: '0.01',
    });
    for (const who of [sold.who, sandbox.credentials.bank]) {
      expect((await inbox(sandbox, who)).at(-1)).toBe('payment.reported');
      expect((await read(json.data.id, who)).json).toEqual({
        data: json.data,
        server_time: '2026-03-01T10:00:01.000Z',
      });
    }
  });

  it('does without reference and evidence', async () => {
    const { data } = await done(report({ amount: '999999999999.99' }));
    expect(data).toMatchObject({ amount: '999999999999.99', external_reference: null, evidence_id: null });
  });

  it('needs no acknowledgment, and takes a second transfer for the same sale', async () => {
    expect((await report()).status).toBe(200);
    expect((await report({ utr: 'EXMPN26060000018' })).status).toBe(200);
  });

  it('takes one transfer for two sales', async () => {
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    expect((await report()).status).toBe(200);
    expect((await report({}, other)).status).toBe(200);
  });

  it.each([
    ['at this moment', '2026-03-01T10:00:00Z', 200],
    ['a clock that is 300 seconds ahead', '2026-03-01T15:35:00+05:30', 200],
    ['a clock that is further ahead', '2026-03-01T10:05:00.001Z', 422],
    ['tomorrow', '2026-03-02T10:00:00Z', 422],
  ])('paid_at %s', async (_, paid_at, status) => {
    const before = await all(sandbox, [sold]);
    const reply = await report({ paid_at });
    expect(reply.status).toBe(status);
    if (status === 200) return;
    expect(Object.keys(reply.json.errors)).toEqual(['paid_at']);
    expect(await all(sandbox, [sold])).toEqual(before);
  });

  // rule: general.3
  it('refuses a sale that is not approved', async () => {
    const pending = await wonLot(sandbox, { label: 'live-closed' });
    const before = await all(sandbox, [sold, pending]);
    const { status, json } = await report({}, pending);
    expect([status, Object.keys(json)]).toEqual([409, ['message']]);
    expect(await all(sandbox, [sold, pending])).toEqual(before);
  });

  it('refuses the same transfer a second time, whatever else differs', async () => {
    await done(report());
    const before = await all(sandbox, [sold]);
    const { status, json } = await report({ amount: '1.00', paid_at: '2026-02-28T10:00:00Z' });
    expect([status, Object.keys(json)]).toEqual([409, ['message']]);
    expect(await all(sandbox, [sold])).toEqual(before);
  });
});

describe('A37', () => {
  it("is read by the sale's bank and its partner only", async () => {
    const { bank, platform, rival } = sandbox.credentials;
    const { id } = await done(report());
    expect([(await read(id)).status, (await read(id, bank)).status]).toEqual([200, 200]);
    for (const none of [await read(id, platform), await read(id, rival), await read('prp_000000000000')]) {
      expect([none.status, none.json]).toEqual([404, { message: 'Not found.' }]);
    }
  });
});

describe('A38', () => {
  let reportId: string;
  let receiptId: string;
  beforeEach(async () => {
    reportId = (await done(report())).id;
    receiptId = (await imported(sandbox, sold)).id;
  });

  const decisions = (id = reportId) => `${reports}/${id}/decisions`;
  const verification = (change: Record<string, unknown> = {}) => ({
    decision: 'verified',
    reason: 'Found in the statement of the day',
    bank_receipt_id: receiptId,
    bank_account_reference: 'COLLECTION-7',
    received_amount: sold.amount,
    currency: 'INR',
    expected_version: 1,
    ...change,
  });
  const decide = (change: Record<string, unknown> = {}, who = sandbox.credentials.bank, id = reportId) =>
    command(sandbox, who, decisions(id), verification(change));
  const everything = () => all(sandbox, [sold], [`${reports}/${reportId}`]);

  // rule: state.payment-report, notification.inbox
  it('verifies a report against a receipt, literally, and credits nothing', async () => {
    const { bank } = sandbox.credentials;
    const before = (await read(reportId)).json.data;
    const dues = await duesOf(sandbox, sold);
    const sale = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(60_000);
    const { data } = (await decide()).json;
    expect(data).toEqual({
      ...before,
      state: 'verified',
      resource_version: 2,
      updated_at: '2026-03-01T10:01:00.000Z',
      data: {
        ...before.data,
        decision: 'verified',
        reason: 'Found in the statement of the day',
        bank_receipt_id: receiptId,
        bank_account_reference: 'COLLECTION-7',
        received_amount: sold.amount,
      },
    });
    expect((await read(reportId)).json.data).toEqual(data);
    expect((await duesOf(sandbox, sold)).data).toEqual(dues.data);
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'payment_report',
      operation: 'A38',
      saleId: sold.saleId,
      lotId: sold.lotId,
      amount: sold.amount,
    });
    for (const who of [bank, sold.who]) {
      expect(await inbox(sandbox, who)).toEqual([
        'vehicle.status_changed',
        'sale.approved',
        'payment.reported',
        'payment.verified',
      ]);
    }
  });

  it('needs no reason, and takes another spelling of the same amount', async () => {
    const whole = sold.amount.replace(/\.00$/, '');
    expect(whole).not.toBe(sold.amount);
    const { data } = await done(decide({ reason: undefined, received_amount: whole }));
    expect(data).toMatchObject({ reason: null, received_amount: sold.amount });
  });

  it('takes a report that names the transfer as the bank does', async () => {
    const { id } = await done(report({ utr: 'S26060/000042' }));
    expect((await decide({}, sandbox.credentials.bank, id)).status).toBe(200);
  });

  it('takes a receipt of another amount than the reported one: what arrived counts', async () => {
    const short = (Number(sold.amount) - 0.01).toFixed(2);
    const { id } = await done(report({ utr: 'U-2', amount: sold.amount }));
    const receipt = await imported(sandbox, sold, {
      utr: 'U-2',
      external_transaction_id: 'E-2',
      amount: short,
    });
    const change = { bank_receipt_id: receipt.id, received_amount: short };
    const { data } = await done(decide(change, sandbox.credentials.bank, id));
    expect(data).toMatchObject({ amount: sold.amount, received_amount: short });
  });

  it('refuses a receipt of another sale as if it did not exist', async () => {
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    const receipt = await imported(sandbox, other, { utr: 'U-2', external_transaction_id: 'E-2' });
    const before = await everything();
    const refused = await decide({ bank_receipt_id: receipt.id, received_amount: other.amount });
    const missing = await decide({ bank_receipt_id: 'rcp_000000000000' });
    expect([refused.status, refused.text]).toEqual([422, missing.text]);
    expect(await everything()).toEqual(before);
  });

  // rule: state.payment-report
  it('refuses a receipt of another transfer', async () => {
    const receipt = await imported(sandbox, sold, { utr: 'U-2', external_transaction_id: 'E-2' });
    const before = await everything();
    const { status, json } = await decide({ bank_receipt_id: receipt.id });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['bank_receipt_id']]);
    expect(await everything()).toEqual(before);
  });

  it('refuses a receipt that verified another report already', async () => {
    const { id } = await done(report({ utr: 'S26060/000042' }));
    await done(decide());
    const paths = [`${reports}/${id}`];
    const before = await all(sandbox, [sold], paths);
    const { status, json } = await decide({}, sandbox.credentials.bank, id);
    expect([status, Object.keys(json.errors)]).toEqual([422, ['bank_receipt_id']]);
    expect(await all(sandbox, [sold], paths)).toEqual(before);
  });

  it('stays possible when more arrives for the sale meanwhile', async () => {
    await imported(sandbox, sold, {
      utr: 'U-2',
      external_transaction_id: 'E-2',
      amount: '1.00',
    });
    expect((await decide()).status).toBe(200);
  });
});
