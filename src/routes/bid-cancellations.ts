// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { CancellationRecord } from './schemas.js';

export const bidCancellations = {
  list: {
    name: 'bidCancellations.list',
    id: 'A08',
    method: 'GET',
    path: '/bid-cancellation-requests',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'workflow_page',
    reply: {
      fields: {
        data: {
          fields: {
            items: { list: CancellationRecord },
            current_page: 'int',
            last_page: 'int',
            total: { optional: 'int' },
          },
        },
        server_time: { optional: 'string' },
      },
    },
  },
  decide: {
    name: 'bidCancellations.decide',
    id: 'A09',
    method: 'POST',
    path: '/bid-cancellation-requests/{request}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { request: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        reason: { optional: 'filled' },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'request', kind: 'cancellation', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: CancellationRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
