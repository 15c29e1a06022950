// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { LotStatus, LotStatusResult, LotSummary } from './schemas.js';

export const lots = {
  list: {
    name: 'lots.list',
    id: 'lots.list',
    method: 'GET',
    path: '/lots',
    availability: 'callable',
    effect: 'read',
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: LotSummary },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  status: {
    name: 'lots.status',
    id: 'A10',
    method: 'GET',
    path: '/lots/{lot}/status',
    availability: 'callable',
    effect: 'read',
    actors: ['partner'],
    params: { lot: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: LotStatus, server_time: { optional: 'string' } } },
  },
  statusBatch: {
    name: 'lots.statusBatch',
    id: 'A11',
    method: 'POST',
    path: '/lots/status-batch',
    availability: 'callable',
    effect: 'read',
    actors: ['partner'],
    body: {
      fields: {
        lot_ids: { list: 'filled', empty: 'must name at least one lot' },
        bidder_reference: { optional: 'bidderReference' },
      },
    },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: { list: LotStatusResult }, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;
