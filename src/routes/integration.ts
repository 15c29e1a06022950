// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { Capabilities, Profile } from './schemas.js';

export const integration = {
  profile: {
    name: 'integration.profile',
    id: 'A01',
    method: 'GET',
    path: '/integration/profile',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    success: [200],
    envelope: 'read',
    reply: { fields: { data: Profile, server_time: { optional: 'string' } } },
  },
  capabilities: {
    name: 'integration.capabilities',
    id: 'A02',
    method: 'GET',
    path: '/integration/capabilities',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    success: [200],
    envelope: 'read',
    reply: { fields: { data: Capabilities, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;
