import { pathId } from './common.js';
import { LotSummary } from './lots.js';
import type { Resource } from './operation.js';

export const vehicles = {
  name: 'vehicles',
  summary: 'Published vehicles, by public lot id.',
  operations: {
    get: {
      id: 'vehicles.get',
      method: 'GET',
      path: '/vehicles/{vehicle}',
      scope: 'vehicles:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Reads the summary of one vehicle.',
      notes: [
        "Without the bank's private inventory fields; `events.lot` reads the extended fields and the caller's standing.",
      ],
      section: 'Catalogue and events',
      params: { vehicle: pathId.describe('Public lot id; an inventory vehicle id is another thing.') },
      success: [200],
      envelope: 'object',
      reply: LotSummary,
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
