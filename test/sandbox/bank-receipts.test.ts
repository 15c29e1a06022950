import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { all, duesOf, entryBody, evidence, imported, inbox, receiptsOf } from './funds.js';
import { approvedLot, command, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
  sold = await approvedLot(sandbox);
});
afterEach(() => sandbox.close());

const imports = '/api/v1/bank-receipts/imports';
const add = (change: Record<string, unknown> = {}, of = sold, who = sandbox.credentials.bank) =>
  command(sandbox, who, imports, entryBody(of, change));

describe('A42', () => {
  // rule: state.payment, state.bank-receipt
  it('records an entry, literally, and the payment that it shows; nothing is credited yet', async () => {
    const { bank } = sandbox.credentials;
    const dues = await duesOf(sandbox, sold);
    const sale = await saleOf(sandbox, sold.saleId);
    const evidence_id = await evidence(sandbox, sold, bank);
    const { data } = (await add({ evidence_id, amount: '999999999999.99' })).json;
    expect(data).toEqual({
      id: expect.stringMatching(/^rcp_[0-9a-f]{12}$/),
      kind: 'bank_receipt',
      state: 'verified',
      resource_version: 1,
      data: {
        sale_id: sold.saleId,
        bank_account_reference: 'COLLECTION-7',
        utr: 'EXMPN26060000017',
        external_transaction_id: 'S26060/000042',
        amount: '999999999999.99',
        currency: 'INR',
        value_date: '2026-03-01',
        evidence_id,
      },
      created_at: '2026-03-01T10:00:01.000Z',
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    const { payments, allocations } = await receiptsOf(sandbox, sold);
    expect([payments, allocations]).toEqual([
      [
        {
          id: expect.stringMatching(/^pay_[0-9a-f]{12}$/),
          kind: 'payment',
          state: 'succeeded',
          resource_version: 1,
          data: {
            sale_id: sold.saleId,
            amount: '999999999999.99',
            currency: 'INR',
            settlement_state: 'bank_received',
          },
          created_at: '2026-03-01T10:00:01.000Z',
          updated_at: '2026-03-01T10:00:01.000Z',
        },
      ],
      [],
    ]);
    expect((await duesOf(sandbox, sold)).data).toEqual(dues.data);
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
    expect(await inbox(sandbox, sold.who)).toEqual(['vehicle.status_changed', 'sale.approved']);
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'bank_receipt',
      operation: 'A42',
      recordId: data.id,
      saleId: sold.saleId,
      lotId: sold.lotId,
      amount: '999999999999.99',
    });
  });

  it('refuses a sale that is not approved', async () => {
    const pending = await wonLot(sandbox, { label: 'live-closed' });
    const before = await all(sandbox, [pending]);
    const { status, json } = await add({}, pending);
    expect([status, Object.keys(json)]).toEqual([409, ['message']]);
    expect(await all(sandbox, [pending])).toEqual(before);
  });
});

describe('an entry that is there already', () => {
  // rule: state.bank-receipt
  it('is answered with the receipt under any key, makes no second payment and is no second commit', async () => {
    const { bank } = sandbox.credentials;
    const evidence_id = await evidence(sandbox, sold, bank);
    const first = await imported(sandbox, sold, { evidence_id });
    const before = await all(sandbox, [sold]);
    sandbox.clock.advance(60_000);
    const idempotency_key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
    const again = await add({ evidence_id, idempotency_key });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(again.json.data).toEqual(first);
    const replay = await add({ evidence_id, idempotency_key });
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(replay.json.data).toEqual(first);
    const changed = await add({ evidence_id, idempotency_key, amount: '1.00' });
    expect([changed.status, changed.json.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(await all(sandbox, [sold])).toEqual(before);
  });

  it('is known by another spelling of its amount', async () => {
    const first = await imported(sandbox, sold, { amount: '1000.50' });
    expect((await add({ amount: '1000.5' })).json.data).toEqual(first);
    expect((await receiptsOf(sandbox, sold)).payments).toHaveLength(1);
  });

  it.each([
    ['amount, by a paisa', { amount: '1000.01' }],
    ['value date', { value_date: '2026-02-28' }],
    ['utr', { utr: 'U-2' }],
    ['external id under the same utr', { external_transaction_id: 'E-2' }],
  ])('is refused with another %s', async (_, change) => {
    await imported(sandbox, sold, { amount: '1000.00' });
    const before = await all(sandbox, [sold]);
    const { status, json } = await add({ amount: '1000.00', ...change });
    expect([status, Object.keys(json)]).toEqual([409, ['message']]);
    expect(await all(sandbox, [sold])).toEqual(before);
  });

  it('is refused for another sale, and with evidence that it had not', async () => {
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    await imported(sandbox, sold, { amount: '1000.00' });
    const evidence_id = await evidence(sandbox, sold);
    const before = await all(sandbox, [sold, other]);
    expect((await add({ amount: '1000.00' }, other)).status).toBe(409);
    expect((await add({ amount: '1000.00', evidence_id })).status).toBe(409);
    expect(await all(sandbox, [sold, other])).toEqual(before);
  });

  // rule: state.bank-receipt
  it.each([
    ['of the same amount, with ids of its own', { utr: 'U-2', external_transaction_id: 'E-2' }],
    ['of another account, with the same ids', { bank_account_reference: 'COLLECTION-8' }],
  ])('isn’t taken for one %s', async (_, change) => {
    const first = await imported(sandbox, sold);
    const second = await imported(sandbox, sold, change);
    expect(second.id).not.toBe(first.id);
    expect((await receiptsOf(sandbox, sold)).payments).toHaveLength(2);
  });
});
