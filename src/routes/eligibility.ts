// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { EligibilitySnapshot } from './schemas.js';

export const eligibility = {
  check: {
    name: 'eligibility.check',
    id: 'A03',
    method: 'GET',
    path: '/bidding-eligibility',
    availability: 'callable',
    effect: 'read',
    actors: ['partner'],
    query: {
      fields: {
        lot_id: 'filled',
        bidder_reference: { optional: 'bidderReference' },
        amount: { optional: 'amount' },
      },
    },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: EligibilitySnapshot, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;
