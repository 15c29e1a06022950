import * as z from 'zod';
import {
  amount,
  expectedVersion,
  filledText,
  idempotencyKey,
  inr,
  openChoice,
  openEnum,
  pathId,
  zonedDateTime,
} from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const PaymentReportData = z
  .object({
    sale_id: optional.text('Sale that was paid for.'),
    amount: optional.money('Reported amount, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    method: optional.of(openEnum('bank_transfer'), 'Way of payment.'),
    utr: optional.text('Transaction id of the bank or payment provider.'),
    paid_at: optional.text('When it was paid, ISO 8601.'),
    external_reference: nullable.text("The partner's own reference."),
    evidence_id: nullable.text('Document that shows the payment.'),
    decision: nullable.of(openEnum('verified'), "The bank's decision, once made."),
    reason: nullable.text("The bank's reason, once decided."),
    bank_receipt_id: nullable.text('Bank receipt that the report was verified against.'),
    bank_account_reference: nullable.text('Bank account that the money arrived on; after verification.'),
    received_amount: nullable.money('Amount that arrived, INR decimal string; after verification.'),
  })
  .meta({ title: "A payment reported by the partner, and the bank's decision.", section: 'Workflow record' });

export const PaymentReportRecord = workflowRecord({
  kind: 'payment_report',
  states: ['reported_pending_verification', 'verified'],
  data: PaymentReportData,
  what: 'a payment report',
  version: sentVersion,
});

const report = pathId.describe('Id of the payment report, not of a payment.');

export const paymentReports = resource('paymentReports', 'Reports of payments made: create, read, decide.', {
  create: command({
    id: 'A36',
    path: '/payment-reports',
    scope: 'payments:report',
    actors: ['partner'],
    summary: 'Reports a payment for a sale, for the bank to verify.',
    notes: [
      'A report does not count as payment until the bank verifies it. It settles nothing and releases no vehicle.',
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
      external_reference: optional.of(filledText, 'A reference of your own.'),
      evidence_id: optional.of(filledText, 'Id of the document that shows the payment.'),
      idempotency_key: idempotencyKey,
    }),
    reply: PaymentReportRecord,
  }),
  get: read({
    id: 'A37',
    path: '/payment-reports/{report}',
    scope: 'payments:read',
    actors: ['bank', 'partner'],
    summary: 'Reads one payment report.',
    section: 'Payments, receipts, refunds, disputes',
    params: { report },
    reply: PaymentReportRecord,
  }),
  decide: command({
    id: 'A38',
    path: '/payment-reports/{report}/decisions',
    scope: 'payments:verify',
    actors: ['bank'],
    summary: 'Decides a payment report, such as verifying it against a bank receipt.',
    notes: [
      'Verifying requires evidence that the money arrived. If policy requires a second approver, the report stays pending, so read the returned `state`.',
    ],
    section: 'Payments, receipts, refunds, disputes',
    params: { report },
    body: z.strictObject({
      decision: openChoice('verified').describe('The decision; the set of values is undocumented.'),
      reason: optional.of(filledText, 'Why, in words.'),
      bank_receipt_id: optional.of(filledText, 'Id of the bank receipt that the payment was found in.'),
      bank_account_reference: optional.of(filledText, 'Bank account that the money arrived on.'),
      received_amount: optional.of(amount, 'Amount that arrived, INR decimal string.'),
      currency: inr.optional(),
      idempotency_key: idempotencyKey,
      expected_version: expectedVersion,
    }),
    versionFrom: { param: 'report', kind: 'payment_report', field: 'resource_version' },
    reply: PaymentReportRecord,
  }),
});
