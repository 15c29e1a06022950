import * as z from 'zod';
import {
  amount,
  expectedVersion,
  filledText,
  idempotencyKey,
  inr,
  money,
  openChoice,
  openEnum,
  pathId,
  zonedDateTime,
} from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const PaymentReportData = z
  .object({
    sale_id: z.string().optional().describe('Sale that was paid for.'),
    amount: money.optional().describe('Amount that the partner says it paid, INR decimal string.'),
    currency: z.string().optional().describe('Currency code, INR.'),
    method: openEnum('bank_transfer').optional().describe('Way of payment.'),
    utr: z.string().optional().describe('Transaction id of the bank or payment provider.'),
    paid_at: z.string().optional().describe('When it was paid, ISO 8601.'),
    external_reference: z.string().nullable().optional().describe("The partner's own reference."),
    evidence_id: z.string().nullable().optional().describe('Document that shows the payment.'),
    decision: openEnum('verified').nullable().optional().describe("The bank's decision, once made."),
    reason: z.string().nullable().optional().describe("The bank's reason, once decided."),
    bank_receipt_id: z
      .string()
      .nullable()
      .optional()
      .describe('Bank receipt that the report was verified against.'),
    bank_account_reference: z
      .string()
      .nullable()
      .optional()
      .describe('Bank account that the money arrived on; after verification.'),
    received_amount: money
      .nullable()
      .optional()
      .describe('Amount that arrived, INR decimal string; after verification.'),
  })
  .meta({ title: "A payment as its payer reports it, and the bank's decision.", section: 'Workflow record' });

export const PaymentReportRecord = workflowRecord({
  kind: 'payment_report',
  states: ['reported_pending_verification', 'verified'],
  data: PaymentReportData,
  what: 'a payment report',
  version: sentVersion,
});

const report = pathId.describe('Id of the payment report, not of a payment.');

export const paymentReports = {
  name: 'paymentReports',
  summary: 'Reports of payments made: create, read, decide.',
  operations: {
    create: {
      id: 'A36',
      method: 'POST',
      path: '/payment-reports',
      scope: 'payments:report',
      actors: ['partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Reports a payment that was made for a sale; the bank has yet to verify it.',
      notes: [
        'A report settles and releases nothing, and never counts as paid before it is verified.',
        'Evidence counts only once the scan has found its document clean.',
      ],
      section: 'Payments, receipts, refunds, disputes',
      body: z.strictObject({
        sale_id: filledText.describe('Id of the sale that was paid for.'),
        amount: amount.describe('Amount that was paid, INR decimal string.'),
        currency: inr,
        method: openChoice('bank_transfer').describe('Way of payment; the set of values is undocumented.'),
        utr: filledText.describe('Transaction id of the bank or payment provider.'),
        paid_at: zonedDateTime.describe('When it was paid, ISO 8601 with zone.'),
        external_reference: filledText.optional().describe('A reference of your own.'),
        evidence_id: filledText.optional().describe('Id of the document that shows the payment.'),
        idempotency_key: idempotencyKey,
      }),
      success: [200],
      envelope: 'command',
      reply: PaymentReportRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
    get: {
      id: 'A37',
      method: 'GET',
      path: '/payment-reports/{report}',
      scope: 'payments:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one payment report.',
      section: 'Payments, receipts, refunds, disputes',
      params: { report },
      success: [200],
      envelope: 'read',
      reply: PaymentReportRecord,
      refusals: ['NOT_FOUND'],
    },
    decide: {
      id: 'A38',
      method: 'POST',
      path: '/payment-reports/{report}/decisions',
      scope: 'payments:verify',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Decides a payment report, such as verifying it against a bank receipt.',
      notes: [
        'Verifying takes evidence that the money arrived. Policy may want a second, independent person to approve, so read the `state` that comes back.',
      ],
      section: 'Payments, receipts, refunds, disputes',
      params: { report },
      body: z.strictObject({
        decision: openChoice('verified').describe('The decision; the set of values is undocumented.'),
        reason: filledText.optional().describe('Why, in words.'),
        bank_receipt_id: filledText
          .optional()
          .describe('Id of the bank receipt that the payment was found in.'),
        bank_account_reference: filledText.optional().describe('Bank account that the money arrived on.'),
        received_amount: amount.optional().describe('Amount that arrived, INR decimal string.'),
        currency: inr.optional(),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'report', kind: 'payment_report', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: PaymentReportRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
