import * as z from 'zod';
import { bidderReference, integerId, money, openEnum, page, pathId, perPage, search } from './common.js';
import type { Resource } from './operation.js';

export const AuctionEvent = z
  .object({
    id: z.string().describe('Public auction id (`auc_…`), opaque.'),
    name: z.string().optional().describe('Display name.'),
    reference: z.string().optional().describe('Reference of the auction.'),
    distribution_mode: openEnum('syndicated')
      .optional()
      .describe('How the auction is distributed to partners.'),
    bid_type: openEnum('open', 'closed')
      .optional()
      .describe('`open` shows the highest amount to bidders, `closed` hides it.'),
    status: openEnum('upcoming', 'live', 'over').describe(
      'Where it stands in server time; bids are taken while `live`.',
    ),
    timezone: z.string().optional().describe('IANA zone name, for display only.'),
    starts_at: z.string().optional().describe('Opening time (inclusive), ISO 8601 with UTC offset.'),
    ends_at: z
      .string()
      .optional()
      .describe('Closing time (exclusive), ISO 8601 with UTC offset; the bank may extend or shorten it.'),
    bid_increment: money.describe('Step between valid amounts, INR decimal string; zero means no grid.'),
    eligible_lots_count: z.int().optional().describe('How many lots of it these credentials may see.'),
    revision: z.int().describe('Revision of the event.'),
  })
  .meta({ title: 'An auction event.', section: 'Event' });

export const VehicleDetails = z
  .object({
    registration_number: z.string().nullable().optional().describe('Registration plate.'),
    make: z.string().nullable().optional().describe('Manufacturer.'),
    model: z.string().nullable().optional().describe('Model.'),
    year: z.union([z.int(), z.string()]).nullable().optional().describe('Year of manufacture.'),
    region: z.string().nullable().optional().describe('Region that it belongs to or stands in.'),
    vehicle_type: z.string().nullable().optional().describe('Kind of vehicle.'),
    yard: z.string().nullable().optional().describe('Where the vehicle stands.'),
    title: z.string().nullable().optional().describe('Headline of the vehicle.'),
    bank_reference: z.string().nullable().optional().describe("The bank's reference of the vehicle."),
    condition: z.unknown().optional().describe("The bank's description of its condition."),
  })
  .meta({
    title:
      "Standard keys, and beside them the bank's own field labels as further keys; values keep their saved types.",
    section: 'Event lot',
    open: 'A field label of the bank.',
  });

export const PublicField = z
  .object({
    label: z.string().optional().describe('Label as the bank shows it.'),
    value: z.unknown().optional().describe('Saved value, of whatever type.'),
  })
  .meta({ title: 'An auction-visible form field.', section: 'Event lot' });

/** What every view of a lot has beside its own fields. */
export const lotFields = {
  vehicle_details: VehicleDetails.optional().describe("The vehicle, with the bank's own field labels."),
  images: z
    .array(z.string())
    .optional()
    .describe('Absolute URLs of photos; fetch them with a signed GET. Empty: none.'),
  documents: z
    .array(z.string())
    .optional()
    .describe('Absolute URLs of documents; fetch them with a signed GET. Empty: none.'),
  public_fields: z
    .record(z.string(), PublicField)
    .optional()
    .describe('Auction-visible form fields by software field id.'),
};

export const EventLot = z
  .object({
    id: z.string().describe('Public lot id (`lot_…`): the one to bid with.'),
    auction_id: z.string().describe('Public id of its auction.'),
    ...lotFields,
    registration_number: z.string().nullable().optional().describe('Registration plate.'),
    make: z.string().nullable().optional().describe('Manufacturer.'),
    model: z.string().nullable().optional().describe('Model.'),
    year: z.int().nullable().optional().describe('Year of manufacture.'),
    region: z.string().nullable().optional().describe('Region that it belongs to or stands in.'),
    vehicle_type: z.string().nullable().optional().describe('Kind of vehicle.'),
    starting_price: money.describe(
      'Opening price of the lot, INR decimal string: where its bid grid begins.',
    ),
    own_amount: money
      .nullable()
      .optional()
      .describe(
        "The caller's latest accepted amount, INR decimal string; absent for a platform without bidder_reference.",
      ),
    bidder_status: openEnum('no_bid', 'leading', 'outbid')
      .optional()
      .describe("The buyer's standing, provisional; absent for a platform without bidder_reference."),
    channel_status: openEnum('no_bid', 'leading')
      .optional()
      .describe("The standing of the caller's channel as a whole; one buyer's `bidder_status` may differ."),
    provisional: z.boolean().optional().describe('True: a standing is not a sale approval.'),
    highest_amount: money
      .nullable()
      .optional()
      .describe('Highest accepted amount, INR decimal string; null without bids; absent in closed auctions.'),
  })
  .meta({ title: "A lot inside its event, with the caller's own standing.", section: 'Event lot' });

const buyer = bidderReference
  .optional()
  .describe('Buyer whose standing is asked for; platforms and aggregators only.')
  .meta({ platformOnly: true });

const event = pathId.describe('Public auction id.');
const lot = pathId.describe('Public lot id; an inventory vehicle id is another thing.');

export const events = {
  name: 'events',
  summary: 'Auction events and the lots in them.',
  operations: {
    list: {
      id: 'events.list',
      method: 'GET',
      path: '/events',
      scope: 'catalogue:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Lists the auction events that have lots assigned to these credentials.',
      notes: ['Live events only, unless `status` says otherwise. Cancelled auctions are never listed.'],
      section: 'Catalogue and events',
      query: z.strictObject({
        status: z
          .enum(['all', 'upcoming', 'live', 'over', 'active', 'scheduled', 'ended'])
          .optional()
          .describe(
            'Which events; `active` (the default) means live. `scheduled` and `ended` are legacy aliases.',
          ),
        page: page.optional(),
        per_page: perPage.optional(),
      }),
      success: [200],
      envelope: 'page',
      reply: AuctionEvent,
      refusals: [],
    },
    get: {
      id: 'events.get',
      method: 'GET',
      path: '/events/{event}',
      scope: 'catalogue:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one auction event.',
      section: 'Catalogue and events',
      params: { event },
      success: [200],
      envelope: 'object',
      reply: AuctionEvent,
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
    lots: {
      id: 'events.lots',
      method: 'GET',
      path: '/events/{event}/lots',
      scope: 'catalogue:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Lists the lots of an event that are assigned to these credentials.',
      section: 'Catalogue and events',
      params: { event },
      query: z.strictObject({
        search: search.optional().describe('Matches registration, make or model; at most 100 characters.'),
        bidder_reference: buyer,
        page: page.optional(),
        per_page: perPage.optional(),
      }),
      success: [200],
      envelope: 'page',
      reply: EventLot,
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
    lot: {
      id: 'events.lot',
      method: 'GET',
      path: '/events/{event}/lots/{lot}',
      scope: 'catalogue:read',
      availability: 'callable',
      effect: 'read',
      summary: "Reads one lot of an event, with the caller's own standing.",
      section: 'Catalogue and events',
      params: { event, lot },
      query: z.strictObject({ bidder_reference: buyer }),
      success: [200],
      envelope: 'object',
      reply: EventLot,
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
    media: {
      id: 'events.media',
      method: 'GET',
      path: '/events/{event}/lots/{lot}/media/{media}',
      scope: 'catalogue:read',
      availability: 'callable',
      effect: 'read',
      summary: 'Streams a photo or document of a lot.',
      notes: [
        'Never to be cached (`private, no-store`). A browser cannot sign: fetch it here and re-serve the bytes.',
      ],
      section: 'Catalogue and events',
      params: { event, lot, media: integerId.describe('Media id authorised for the lot, an integer.') },
      success: [200],
      envelope: 'binary',
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
