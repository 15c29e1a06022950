// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { PaymentReportRecord } from './schemas.js';

export const paymentReports = {
  create: {
    name: 'paymentReports.create',
    id: 'A36',
    method: 'POST',
    path: '/payment-reports',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    body: {
      fields: {
        sale_id: 'filled',
        amount: 'amount',
        currency: { values: ['INR'] },
        method: 'filled',
        utr: 'filled',
        paid_at: 'dateTime',
        external_reference: { optional: 'filled' },
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: PaymentReportRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'paymentReports.get',
    id: 'A37',
    method: 'GET',
    path: '/payment-reports/{report}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { report: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: PaymentReportRecord, server_time: { optional: 'string' } } },
  },
  decide: {
    name: 'paymentReports.decide',
    id: 'A38',
    method: 'POST',
    path: '/payment-reports/{report}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { report: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        reason: { optional: 'filled' },
        bank_receipt_id: { optional: 'filled' },
        bank_account_reference: { optional: 'filled' },
        received_amount: { optional: 'amount' },
        currency: { optional: { values: ['INR'] } },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'report', kind: 'payment_report', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: PaymentReportRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
