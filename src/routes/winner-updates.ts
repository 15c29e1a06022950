// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { WinnerUpdate } from './schemas.js';

export const winnerUpdates = {
  list: {
    name: 'winnerUpdates.list',
    id: 'winnerUpdates.list',
    method: 'GET',
    path: '/winner-updates',
    availability: 'callable',
    effect: 'read',
    query: { fields: { after: { optional: 'filled' }, limit: { optional: 'positive' } } },
    success: [200],
    envelope: 'cursor_page',
    reply: {
      fields: {
        data: { optional: { either: [{ list: WinnerUpdate }, { map: 'unknown' }] } },
        next_cursor: { optional: { nullable: 'string' } },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
