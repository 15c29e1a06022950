import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Sandbox, SandboxCredentials } from '../../src/sandbox/index.js';
import { get, type Sent, send } from './caller.js';
import { command, done, picture, type SoldLot } from './workflow.js';

/** Bodies of the commands about evidence and money, and what is read of them. */

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

export const uploadBody = ({ saleId }: SoldLot, change: Record<string, unknown> = {}) => ({
  sale_id: saleId,
  purpose: 'payment_evidence',
  filename: 'slip.pdf',
  content_base64: base64('%PDF-1.7 a paying-in slip'),
  ...change,
});

/** Uploads a document, waits until it is scanned, and gives its id. */
export async function evidence(sandbox: Sandbox, sold: SoldLot, who = sold.who): Promise<string> {
  const { id } = await done(command(sandbox, who, '/api/v1/document-uploads', uploadBody(sold)));
  sandbox.clock.advance(1_000);
  return id;
}

export const reportBody = ({ saleId, amount }: SoldLot, change: Record<string, unknown> = {}) => ({
  sale_id: saleId,
  amount,
  currency: 'INR',
  method: 'bank_transfer',
  utr: 'EXMPN26060000017',
  paid_at: '2026-03-01T15:30:00+05:30',
  ...change,
});

export const entryBody = ({ saleId, amount }: SoldLot, change: Record<string, unknown> = {}) => ({
  sale_id: saleId,
  bank_account_reference: 'COLLECTION-7',
  utr: 'EXMPN26060000017',
  external_transaction_id: 'S26060/000042',
  amount,
  currency: 'INR',
  value_date: '2026-03-01',
  ...change,
});

/** Imports an entry of the bank's account, and gives the receipt. */
export const imported = (sandbox: Sandbox, sold: SoldLot, change: Record<string, unknown> = {}) =>
  done(command(sandbox, sandbox.credentials.bank, '/api/v1/bank-receipts/imports', entryBody(sold, change)));

/** What A46 says of a sale. */
export async function receiptsOf(sandbox: Sandbox, { saleId }: SoldLot) {
  const reply = await get(sandbox, sandbox.credentials.bank, `/api/v1/sale-cases/${saleId}/receipts`);
  return reply.json.data;
}

/** The payment that an imported entry made: the newest of the sale. */
export async function paid(sandbox: Sandbox, sold: SoldLot, change: Record<string, unknown> = {}) {
  await imported(sandbox, sold, change);
  return (await receiptsOf(sandbox, sold)).payments.at(-1);
}

/** Everything that can be read of some sales and their money, and all that was committed. */
export const all = (sandbox: Sandbox, solds: readonly SoldLot[], paths: readonly string[] = []) =>
  picture(sandbox, [
    ...solds.flatMap(({ saleId, lotId }) => [
      `/api/v1/sale-cases/${saleId}/payment-dues`,
      `/api/v1/sale-cases/${saleId}/receipts`,
      `/api/v1/lots/${lotId}/status`,
    ]),
    ...paths,
  ]);

/** The types in an inbox, oldest first. */
export async function inbox(sandbox: Sandbox, who: SandboxCredentials): Promise<string[]> {
  const { data } = (await get(sandbox, who, '/api/v1/notifications')).json;
  return data.map(({ type }: { type: string }) => type).reverse();
}

/**
 * Sends a command that must succeed, and proves that its key stands for it: the same bytes get the same record,
 * other bytes and keys that don't agree are refused, and one thing was committed. Returns the record.
 */
export async function heldToItsKey(
  sandbox: Sandbox,
  who: SandboxCredentials,
  path: string,
  content: Record<string, unknown>,
  sign?: Sent['sign'],
) {
  const key = randomUUID();
  const signed = sign === undefined ? {} : { sign };
  const text = JSON.stringify({ ...content, idempotency_key: key });
  const before = sandbox.ledger().length;
  const post = (body: string, header: string | undefined = key) =>
    send(sandbox, who, { path, body, headers: { 'Idempotency-Key': header }, ...signed });

  const without = await send(sandbox, who, { path, body: text, ...signed });
  const unequal = await post(text, randomUUID());
  for (const { status, json } of [without, unequal]) {
    expect([status, json.code, json.errors]).toEqual([
      422,
      'IDEMPOTENCY_KEY_REQUIRED',
      ['IDEMPOTENCY_KEY_REQUIRED'],
    ]);
  }
  const keyless = await post(JSON.stringify(content));
  expect([keyless.status, Object.keys(keyless.json.errors)]).toEqual([422, ['idempotency_key']]);
  expect(sandbox.ledger()).toHaveLength(before);

  const first = await post(text);
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
  const at = new Date(sandbox.clock.now()).toISOString();
  expect(Object.keys(first.json)).toEqual(['data', 'request_id', 'server_time']);
  expect(first.json.server_time).toBe(at);

  sandbox.clock.advance(500);
  const again = await post(text);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(JSON.stringify(again.json.data)).toBe(JSON.stringify(first.json.data));
  expect(again.json.request_id).not.toBe(first.json.request_id);

  const changed = await post(`${text} `);
  expect([changed.status, changed.json.code, changed.json.data]).toEqual([409, 'IDEMPOTENCY_CONFLICT', null]);
  expect(sandbox.ledger()).toHaveLength(before + 1);
  expect(sandbox.ledger().at(-1)).toMatchObject({
    kind: first.json.data.kind,
    recordId: first.json.data.id,
    idempotencyKey: key,
    clientId: who.clientId,
    at: Date.parse(at),
  });
  return first.json.data;
}
