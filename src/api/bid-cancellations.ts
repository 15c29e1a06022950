import * as z from 'zod';
import { CancellationRecord } from './bids.js';
import { expectedVersion, filledText, idempotencyKey, openChoice, page, pathId } from './common.js';
import { optional } from './fields.js';
import { command, read, resource } from './operation.js';

export const bidCancellations = resource(
  'bidCancellations',
  'Requests to cancel bids: list, decide. `bids.requestCancellation` makes them.',
  {
    list: read({
      id: 'A08',
      path: '/bid-cancellation-requests',
      scope: 'bids:cancel-read',
      actors: ['bank', 'partner'],
      summary: 'Lists requests to cancel bids, 25 per page.',
      notes: ['The API describes filters by bid, lot and decision without naming them.'],
      hints: ['Use `extraQuery` for a filter once you know its name.'],
      section: 'Integration, eligibility, bids, lot status',
      query: z.strictObject({ page: page.optional() }),
      envelope: 'workflow_page',
      reply: CancellationRecord,
    }),
    decide: command({
      id: 'A09',
      path: '/bid-cancellation-requests/{request}/decisions',
      scope: 'bids:cancel-approve',
      actors: ['bank'],
      summary: 'Decides a request to cancel a bid.',
      notes: [
        'An approval updates the effective bid, the standings and the exposure atomically. Superseded bids stay superseded. A new award after the close needs a separate approval.',
      ],
      section: 'Integration, eligibility, bids, lot status',
      params: { request: pathId.describe('Id of the cancellation request.') },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        reason: optional.of(filledText, 'Why, in words.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'request', kind: 'cancellation', field: 'resource_version' },
      reply: CancellationRecord,
    }),
  },
);
