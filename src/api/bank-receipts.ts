import * as z from 'zod';
import { amount, calendarDate, filledText, idempotencyKey, inr, money } from './common.js';
import type { Resource } from './operation.js';
import { workflowRecord } from './records.js';

export const BankReceiptData = z
  .object({
    sale_id: z.string().optional().describe('Sale that the money is for.'),
    bank_account_reference: z.string().optional().describe('Bank account that the money arrived on.'),
    utr: z.string().optional().describe('Transaction id of the bank or payment provider.'),
    external_transaction_id: z.string().optional().describe("The bank's own id of the entry."),
    amount: money.optional().describe('Amount that arrived, INR decimal string.'),
    currency: z.string().optional().describe('Currency code, INR.'),
    value_date: z.string().optional().describe('Day from which the money counts, a date.'),
    evidence_id: z.string().nullable().optional().describe('Document that shows the entry.'),
  })
  .meta({ title: 'An entry of a bank account.', section: 'Workflow record' });

export const BankReceiptRecord = workflowRecord({
  kind: 'bank_receipt',
  states: ['verified'],
  data: BankReceiptData,
  what: 'a bank receipt',
});

export const bankReceipts = {
  name: 'bankReceipts',
  summary: 'Money that arrived at the bank: import its entries.',
  operations: {
    import: {
      id: 'A42',
      method: 'POST',
      path: '/bank-receipts/imports',
      scope: 'receipts:import',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Imports an entry of a bank account as a verified receipt.',
      notes: [
        'Duplicates are told by bank account and transaction together, never by amount.',
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
        value_date: calendarDate.describe('Day from which the money counts, such as `2026-03-01`.'),
        evidence_id: filledText.optional().describe('Id of the document that shows the entry.'),
        idempotency_key: idempotencyKey,
      }),
      success: [200],
      envelope: 'command',
      reply: BankReceiptRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
