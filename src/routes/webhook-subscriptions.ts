// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';

export const webhookSubscriptions = {
  create: {
    name: 'webhookSubscriptions.create',
    id: 'A13',
    method: 'POST',
    path: '/webhook-subscriptions',
    availability: 'documented',
    effect: 'command',
    body: {
      fields: {
        name: 'filled',
        url: 'httpsUrl',
        events: { list: 'filled', empty: 'must name at least one event type' },
        idempotency_key: 'uuid',
      },
    },
    success: [200, 201],
    envelope: 'whole',
  },
} satisfies Readonly<Record<string, Route>>;
