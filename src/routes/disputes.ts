// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { DisputeRecord } from './schemas.js';

export const disputes = {
  create: {
    name: 'disputes.create',
    id: 'A50',
    method: 'POST',
    path: '/disputes',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    body: {
      fields: {
        sale_id: 'filled',
        reason_code: 'filled',
        explanation: { optional: 'filled' },
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: DisputeRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'disputes.get',
    id: 'A51',
    method: 'GET',
    path: '/disputes/{dispute}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { dispute: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: DisputeRecord, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;
