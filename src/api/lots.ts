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
import { nullable, optional } from './fields.js';
import { read, resource } from './operation.js';

export const LotSummary = z
  .object({
    id: z.string().describe('Public lot id (`lot_…`), used to bid.'),
    auction_id: z.string().describe('Public id of its auction.'),
    title: nullable.text('Headline of the vehicle.'),
    category: nullable.text('Category in the catalogue.'),
    starting_price: money.describe('Opening price of the lot, INR decimal string.'),
    status: openEnum('live', 'over').describe('`live` in the catalogue, `over` in results.'),
    ends_at: optional.text('Closing time, ISO 8601 with UTC offset.'),
    ...lotFields,
  })
  .meta({ title: 'A lot in the catalogue, without standings.', section: 'Lot summary' });

export const LotStatus = z
  .object({
    lot_id: z.string().describe('Public lot id.'),
    auction_state: optional.text('State of its auction; the values are undocumented.'),
    inventory_state: optional.text('State of the vehicle in inventory.'),
    resource_version: z.int().describe('Increments with every change. Drop a status with a lower version.'),
    updated_at: optional.text('Last change, ISO 8601.'),
    effective_close_at: nullable.text('Effective close including extensions, ISO 8601.'),
    sale: nullable.of(anyObject, 'Summary of the sale, or null; its fields are undocumented.'),
    payment: nullable.of(anyObject, 'Summary of the payment, or null; its fields are undocumented.'),
    release: nullable.of(anyObject, 'Summary of the release, or null; its fields are undocumented.'),
    allowed_actions: optional.of(z.array(z.string()), 'Next actions that the caller can take on this lot.'),
    provisional: optional.flag('True: a standing is not a sale approval.'),
    own_standing: nullable.of(openEnum('no_bid', 'leading', 'outbid'), "The buyer's standing."),
    own_amount: nullable.money("The buyer's latest accepted amount, INR decimal string."),
    highest_amount: nullable.money(
      'Highest accepted amount, INR decimal string; absent if the visibility policy hides it.',
    ),
  })
  .meta({ title: 'State of a lot, in the view of this caller.', section: 'Non-record read shapes' });

export const LotStatusResult = z
  .object({
    lot_id: z.string().describe('Requested public lot id. Match items by id, not by position.'),
    status: z.int().describe('HTTP status of this one item, such as 200 or 404.'),
    data: optional.of(LotStatus, 'The status; absent when this item failed.'),
    code: optional.text('Error code of a failed item, such as `NOT_FOUND`.'),
  })
  .meta({
    title: 'One item of a batch of lot statuses.',
    section: 'Integration, eligibility, bids, lot status',
  });

const lot = pathId.describe('Public lot id.');

export const lots = resource('lots', 'Lots across all permitted auctions, and their status.', {
  list: read({
    id: 'lots.list',
    path: '/lots',
    scope: 'catalogue:read',
    summary: 'Lists the lots of all auctions that these credentials can access, 25 per page.',
    section: 'Catalogue and events',
    query: z.strictObject({ page: page.optional() }),
    envelope: 'page',
    reply: LotSummary,
  }),
  status: read({
    id: 'A10',
    path: '/lots/{lot}/status',
    scope: 'lot-status:read',
    actors: ['partner'],
    summary: 'Reads the status of a lot: auction, sale, payment, release and allowed actions.',
    notes: ['Fields are projected by role and visibility policy.'],
    section: 'Integration, eligibility, bids, lot status',
    params: { lot },
    reply: LotStatus,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
  statusBatch: read({
    id: 'A11',
    method: 'POST',
    path: '/lots/status-batch',
    scope: 'lot-status:read',
    actors: ['partner'],
    summary: 'Reads the status of many lots in one call; each item succeeds or fails separately.',
    notes: [
      'This read is sent as POST. It changes nothing and needs no idempotency key. The proposed maximum is 100 lots.',
    ],
    section: 'Integration, eligibility, bids, lot status',
    body: z.strictObject({
      lot_ids: filledList(filledText, 'must name at least one lot').describe('Public lot ids.'),
      bidder_reference: optional.of(bidderReference, 'Buyer whose standing to return; one per call.'),
    }),
    reply: z.array(LotStatusResult),
  }),
});
