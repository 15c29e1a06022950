// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { OfferRecord } from './schemas.js';

export const offers = {
  respond: {
    name: 'offers.respond',
    id: 'A25',
    method: 'POST',
    path: '/offers/{offer}/responses',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { offer: 'pathId' },
    body: {
      fields: {
        decision: { values: ['accepted', 'declined'] },
        terms_version: {
          either: ['filled', 'number'],
          problem: 'must be the terms_version that the service gave',
        },
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'offer', kind: 'offer', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: { data: OfferRecord, request_id: { optional: 'string' }, server_time: { optional: 'string' } },
    },
  },
} satisfies Readonly<Record<string, Route>>;
