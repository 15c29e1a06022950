import * as z from 'zod';
import {
  anyObject,
  bidderReference,
  filledList,
  filledText,
  money,
  openEnum,
  page,
  pathId,
} from './common.js';
import { lotFields } from './events.js';
import type { Resource } from './operation.js';

export const LotSummary = z
  .object({
    id: z.string().describe('Public lot id (`lot_…`): the one to bid with.'),
    auction_id: z.string().describe('Public id of its auction.'),
    title: z.string().nullable().optional().describe('Headline of the vehicle.'),
    category: z.string().nullable().optional().describe('What the catalogue files it under.'),
    starting_price: money.describe('Opening price of the lot, INR decimal string.'),
    status: openEnum('live', 'over').describe('`live` in the catalogue, `over` in results.'),
    ends_at: z.string().optional().describe('Closing time, ISO 8601 with UTC offset.'),
    ...lotFields,
  })
  .meta({ title: 'A lot as the catalogue lists it, without standing.', section: 'Lot summary' });

export const LotStatus = z
  .object({
    lot_id: z.string().describe('Public lot id.'),
    auction_state: z.string().optional().describe('Where its auction stands; the values are undocumented.'),
    inventory_state: z.string().optional().describe('State of the vehicle in inventory.'),
    resource_version: z.int().describe('Grows with every change; drop a status that carries a lower one.'),
    updated_at: z.string().optional().describe('Last change, ISO 8601.'),
    effective_close_at: z
      .string()
      .nullable()
      .optional()
      .describe('The close that counts, extensions included, ISO 8601.'),
    sale: anyObject
      .nullable()
      .optional()
      .describe('Summary of the sale, or null; its fields are undocumented.'),
    payment: anyObject
      .nullable()
      .optional()
      .describe('Summary of the payment, or null; its fields are undocumented.'),
    release: anyObject
      .nullable()
      .optional()
      .describe('Summary of the release, or null; its fields are undocumented.'),
    allowed_actions: z.array(z.string()).optional().describe('What the caller may do next with this lot.'),
    provisional: z.boolean().optional().describe('True: a standing is not a sale approval.'),
    own_standing: openEnum('no_bid', 'leading', 'outbid')
      .nullable()
      .optional()
      .describe("The buyer's standing."),
    own_amount: money
      .nullable()
      .optional()
      .describe("The buyer's latest accepted amount, INR decimal string."),
    highest_amount: money
      .nullable()
      .optional()
      .describe('Highest accepted amount, INR decimal string; absent where the visibility policy hides it.'),
  })
  .meta({ title: 'Where a lot stands, in the view of this caller.', section: 'Non-record read shapes' });

export const LotStatusResult = z
  .object({
    lot_id: z.string().describe('Public lot id that was asked for; match by it, not by position.'),
    status: z.int().describe('HTTP status of this one item, such as 200 or 404.'),
    data: LotStatus.optional().describe('The status; absent when this item failed.'),
    code: z.string().optional().describe('Why this item failed, such as `NOT_FOUND`.'),
  })
  .meta({
    title: 'One item of a batch of lot statuses.',
    section: 'Integration, eligibility, bids, lot status',
  });

const lot = pathId.describe('Public lot id.');

export const lots = {
  name: 'lots',
  summary: 'Lots across all permitted auctions, and where they stand.',
  operations: {
    list: {
      id: 'lots.list',
      method: 'GET',
      path: '/lots',
      scope: 'catalogue:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Lists the lots of all auctions that are open to these credentials, 25 a page.',
      section: 'Catalogue and events',
      query: z.strictObject({ page: page.optional() }),
      success: [200],
      envelope: 'page',
      reply: LotSummary,
      refusals: [],
    },
    status: {
      id: 'A10',
      method: 'GET',
      path: '/lots/{lot}/status',
      scope: 'lot-status:read',
      actors: ['partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads where a lot stands: auction, sale, payment, release, and what may be done next.',
      notes: ['Fields are projected by role and visibility policy.'],
      section: 'Integration, eligibility, bids, lot status',
      params: { lot },
      success: [200],
      envelope: 'read',
      reply: LotStatus,
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
    statusBatch: {
      id: 'A11',
      method: 'POST',
      path: '/lots/status-batch',
      scope: 'lot-status:read',
      actors: ['partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads where many lots stand in one call; each item succeeds or fails by itself.',
      notes: [
        'A read sent as POST: it changes nothing and takes no idempotency key. 100 lots is a proposed maximum.',
      ],
      section: 'Integration, eligibility, bids, lot status',
      body: z.strictObject({
        lot_ids: filledList(filledText, 'must name at least one lot').describe('Public lot ids.'),
        bidder_reference: bidderReference
          .optional()
          .describe('Buyer whose standing is asked for; one a call.'),
      }),
      success: [200],
      envelope: 'read',
      reply: z.array(LotStatusResult),
      refusals: [],
    },
  },
} as const satisfies Resource;
