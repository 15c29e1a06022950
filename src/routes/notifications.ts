// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { Notification, NotificationAckRecord } from './schemas.js';

export const notifications = {
  list: {
    name: 'notifications.list',
    id: 'A74',
    method: 'GET',
    path: '/notifications',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: Notification },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  acknowledge: {
    name: 'notifications.acknowledge',
    id: 'A75',
    method: 'POST',
    path: '/notifications/{notification}/acknowledgments',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { notification: 'pathId' },
    body: {
      fields: { status: 'filled', external_reference: { optional: 'filled' }, idempotency_key: 'uuid' },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: NotificationAckRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
