import * as z from 'zod';
import { page } from './common.js';
import { LotSummary } from './lots.js';
import type { Resource } from './operation.js';

export const results = {
  name: 'results',
  summary: 'Lots of closed auctions.',
  operations: {
    list: {
      id: 'results.list',
      method: 'GET',
      path: '/results',
      scope: 'results:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Lists the lots of closed auctions, 25 a page.',
      notes: [
        'Needs a results entitlement beside the scope.',
        'A closed lot is not a confirmed sale, and who else bid is never shown.',
      ],
      section: 'Catalogue and events',
      query: z.strictObject({ page: page.optional() }),
      success: [200],
      envelope: 'results_page',
      reply: LotSummary,
      refusals: [],
    },
  },
} as const satisfies Resource;
