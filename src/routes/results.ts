// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { LotSummary } from './schemas.js';

export const results = {
  list: {
    name: 'results.list',
    id: 'results.list',
    method: 'GET',
    path: '/results',
    availability: 'callable',
    effect: 'read',
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'results_page',
    reply: { fields: { data: { list: LotSummary }, current_page: 'int', last_page: 'int' } },
  },
} satisfies Readonly<Record<string, Route>>;
