// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { RefundRecord } from './schemas.js';

export const refunds = {
  get: {
    name: 'refunds.get',
    id: 'A49',
    method: 'GET',
    path: '/refunds/{refund}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { refund: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: RefundRecord, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;
