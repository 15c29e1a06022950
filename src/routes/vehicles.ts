// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { LotSummary } from './schemas.js';

export const vehicles = {
  get: {
    name: 'vehicles.get',
    id: 'vehicles.get',
    method: 'GET',
    path: '/vehicles/{vehicle}',
    availability: 'callable',
    effect: 'read',
    params: { vehicle: 'pathId' },
    success: [200],
    envelope: 'object',
    reply: { fields: { data: LotSummary } },
  },
} satisfies Readonly<Record<string, Route>>;
