import * as z from 'zod';
import { page } from './common.js';
import { LotSummary } from './lots.js';
import { read, resource } from './operation.js';

export const results = resource('results', 'Lots of closed auctions.', {
  list: read({
    id: 'results.list',
    path: '/results',
    scope: 'results:read',
    summary: 'Lists the lots of closed auctions, 25 per page.',
    notes: [
      'Requires a results entitlement in addition to the scope.',
      'A closed lot is not a confirmed sale. Other bidders are never shown.',
    ],
    section: 'Catalogue and events',
    query: z.strictObject({ page: page.optional() }),
    envelope: 'results_page',
    reply: LotSummary,
  }),
});
