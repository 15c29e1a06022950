import { pathId } from './common.js';
import { LotSummary } from './lots.js';
import { read, resource } from './operation.js';

export const vehicles = resource('vehicles', 'Published vehicles, by public lot id.', {
  get: read({
    id: 'vehicles.get',
    path: '/vehicles/{vehicle}',
    scope: 'vehicles:read',
    summary: 'Reads the summary of one vehicle.',
    notes: [
      "Excludes the bank's private inventory fields. `events.lot` reads the extended fields and the caller's standing.",
    ],
    section: 'Catalogue and events',
    params: { vehicle: pathId.describe('Public lot id; not an inventory vehicle id.') },
    envelope: 'object',
    reply: LotSummary,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
});
