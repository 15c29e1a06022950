// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { RefundRequestRecord } from './schemas.js';

export const refundRequests = {
  decide: {
    name: 'refundRequests.decide',
    id: 'A48',
    method: 'POST',
    path: '/refund-requests/{request}/decisions',
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
    versionFrom: { param: 'request', kind: 'refund_request', field: 'resource_version' },
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
