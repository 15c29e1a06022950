// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { AllocationRecord, PaymentRecord, RefundRequestRecord } from './schemas.js';

export const payments = {
  get: {
    name: 'payments.get',
    id: 'A40',
    method: 'GET',
    path: '/payments/{payment}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { payment: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: PaymentRecord, server_time: { optional: 'string' } } },
  },
  allocate: {
    name: 'payments.allocate',
    id: 'A45',
    method: 'POST',
    path: '/payments/{payment}/allocations',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { payment: 'pathId' },
    body: {
      fields: { sale_id: 'filled', amount: 'amount', idempotency_key: 'uuid', expected_version: 'version' },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: AllocationRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  requestRefund: {
    name: 'payments.requestRefund',
    id: 'A47',
    method: 'POST',
    path: '/payments/{payment}/refund-requests',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    params: { payment: 'pathId' },
    body: {
      fields: {
        amount: 'amount',
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: RefundRequestRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
