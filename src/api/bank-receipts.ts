import * as z from 'zod';
import { amount, calendarDate, filledText, idempotencyKey, inr } from './common.js';
import { nullable, optional } from './fields.js';
import { command, resource } from './operation.js';
import { workflowRecord } from './records.js';

export const BankReceiptData = z
  .object({
    sale_id: optional.text('Sale that the money is for.'),
    bank_account_reference: optional.text('Bank account that the money arrived on.'),
    utr: optional.text('Transaction id of the bank or payment provider.'),
    external_transaction_id: optional.text("The bank's own id of the entry."),
    amount: optional.money('Amount that arrived, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    value_date: optional.text('Value date of the entry.'),
    evidence_id: nullable.text('Document that shows the entry.'),
  })
  .meta({ title: 'An entry of a bank account.', section: 'Workflow record' });

export const BankReceiptRecord = workflowRecord({
  kind: 'bank_receipt',
  states: ['verified'],
  data: BankReceiptData,
  what: 'a bank receipt',
});

export const bankReceipts = resource('bankReceipts', 'Bank receipts: import entries of a bank account.', {
  import: command({
    id: 'A42',
    path: '/bank-receipts/imports',
    scope: 'receipts:import',
    actors: ['bank'],
    summary: 'Imports an entry of a bank account as a verified receipt.',
    notes: [
      'Duplicates are recognised by bank account and transaction together, never by amount.',
      'Evidence counts only once the scan has found its document clean.',
    ],
    section: 'Payments, receipts, refunds, disputes',
    body: z.strictObject({
      sale_id: filledText.describe('Id of the sale that the money is for.'),
      bank_account_reference: filledText.describe('Bank account that the money arrived on.'),
      utr: filledText.describe('Transaction id of the bank or payment provider.'),
      external_transaction_id: filledText.describe("The bank's own id of the entry."),
      amount: amount.describe('Amount that arrived, INR decimal string.'),
      currency: inr,
      value_date: calendarDate.describe('Value date of the entry, such as `2026-03-01`.'),
      evidence_id: optional.of(filledText, 'Id of the document that shows the entry.'),
      idempotency_key: idempotencyKey,
    }),
    reply: BankReceiptRecord,
  }),
});
