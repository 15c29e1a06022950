// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { SaleCancellationRecord } from './schemas.js';

export const saleCancellations = {
  decide: {
    name: 'saleCancellations.decide',
    id: 'A27',
    method: 'POST',
    path: '/sale-cancellation-requests/{request}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { request: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'request', kind: 'sale_cancellation', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: SaleCancellationRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
