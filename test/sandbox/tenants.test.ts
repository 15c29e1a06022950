import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { approvedLot, command, done } from './workflow.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

// rule: general.5, code.not-found
it('another bank reads its own auctions, and nothing of this one', async () => {
  const { bank, otherBank } = sandbox.credentials;
  const sold = await approvedLot(sandbox);
  const read = async (path: string, who = otherBank) => await get(sandbox, who, `/api/v1${path}`);
  const own = sandbox.auctions.get('other-bank').id;
  expect((await read('/events')).json.data.map(({ id }: { id: string }) => id)).toEqual([own]);
  for (const [list, count, banks] of [
    ['/sale-cases', (json: Got) => json.data.total, 1],
    ['/bids', (json: Got) => json.total, 1],
    ['/winner-updates', (json: Got) => json.data.length, 1],
    ['/notifications', (json: Got) => json.total, 2],
  ] as const) {
    expect([list, count((await read(list)).json), count((await read(list, bank)).json)]).toEqual([
      list,
      0,
      banks,
    ]);
  }
  for (const path of [`/sale-cases/${sold.saleId}`, `/bids/${sold.bidId}`]) {
    expect([(await read(path)).status, (await read(path, bank)).status]).toEqual([404, 200]);
  }
});

// rule: general.5
it('another bank decides nothing of this one, and imports nothing for its sales', async () => {
  const { bank, otherBank, dealer } = sandbox.credentials;
  const { saleId, amount } = await approvedLot(sandbox);
  const entry = {
    sale_id: saleId,
    bank_account_reference: 'ACC-1',
    utr: 'U1',
    external_transaction_id: 'X1',
    amount,
    currency: 'INR',
    value_date: '2026-03-01',
  };
  const imports = '/api/v1/bank-receipts/imports';
  expect((await command(sandbox, otherBank, imports, entry)).status).toBe(422);
  await done(command(sandbox, bank, imports, entry));
  const { payments } = (await get(sandbox, bank, `/api/v1/sale-cases/${saleId}/receipts`)).json.data;
  const allocate = `/api/v1/payments/${payments[0].id}/allocations`;
  const share = { sale_id: saleId, amount, expected_version: 1 };
  expect((await command(sandbox, otherBank, allocate, share)).status).toBe(404);
  const offer = {
    amount,
    currency: 'INR',
    terms_version: 'T1',
    valid_until: '2026-03-05T10:00:00Z',
    expected_version: 2,
  };
  expect((await command(sandbox, otherBank, `/api/v1/sale-cases/${saleId}/offers`, offer)).status).toBe(404);
  const { verified_credits } = (await get(sandbox, dealer, `/api/v1/sale-cases/${saleId}/payment-dues`)).json
    .data;
  expect(verified_credits).toBe('0.00');
});

// biome-ignore lint/suspicious/noExplicitAny: replies are compared with literals, field by field
type Got = any;
