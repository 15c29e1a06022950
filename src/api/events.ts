import * as z from 'zod';
import { bidderReference, integerId, money, openEnum, page, pathId, perPage, search } from './common.js';
import { nullable, optional } from './fields.js';
import { read, resource } from './operation.js';

export const AuctionEvent = z
  .object({
    id: z.string().describe('Public auction id (`auc_…`), opaque.'),
    name: optional.text('Display name.'),
    reference: optional.text('Reference of the auction.'),
    distribution_mode: optional.of(openEnum('syndicated'), 'How the auction is distributed to partners.'),
    bid_type: optional.of(
      openEnum('open', 'closed'),
      '`open` shows the highest amount to bidders, `closed` hides it.',
    ),
    status: openEnum('upcoming', 'live', 'over').describe(
      'Phase of the auction in server time. Bids are accepted while `live`.',
    ),
    timezone: optional.text('IANA zone name, for display only.'),
    starts_at: optional.text('Opening time (inclusive), ISO 8601 with UTC offset.'),
    ends_at: optional.text(
      'Closing time (exclusive), ISO 8601 with UTC offset; the bank may extend or shorten it.',
    ),
    bid_increment: money.describe('Step between valid amounts, INR decimal string; zero means no grid.'),
    eligible_lots_count: optional.int('Number of lots that these credentials can see.'),
    revision: z.int().describe('Revision of the event.'),
  })
  .meta({ title: 'An auction event.', section: 'Event' });

export const VehicleDetails = z
  .object({
    registration_number: nullable.text('Registration plate.'),
    make: nullable.text('Manufacturer.'),
    model: nullable.text('Model.'),
    year: nullable.of(z.union([z.int(), z.string()]), 'Year of manufacture.'),
    region: nullable.text('Region that it belongs to or is in.'),
    vehicle_type: nullable.text('Kind of vehicle.'),
    yard: nullable.text('Yard where the vehicle is parked.'),
    title: nullable.text('Headline of the vehicle.'),
    bank_reference: nullable.text("The bank's reference of the vehicle."),
    condition: optional.of(z.unknown(), "The bank's description of the vehicle's condition."),
  })
  .meta({
    title: "Standard keys, plus the bank's own field labels as further keys; values keep their saved types.",
    section: 'Event lot',
    open: 'A field label of the bank.',
  });

export const PublicField = z
  .object({
    label: optional.text('Label as the bank shows it.'),
    value: optional.of(z.unknown(), 'Saved value, of any type.'),
  })
  .meta({ title: 'An auction-visible form field.', section: 'Event lot' });

/** Fields that all views of a lot share. */
export const lotFields = {
  vehicle_details: optional.of(VehicleDetails, "The vehicle, with the bank's own field labels."),
  images: optional.of(
    z.array(z.string()),
    'Absolute URLs of photos, for a signed GET. Empty if there are none.',
  ),
  documents: optional.of(
    z.array(z.string()),
    'Absolute URLs of documents, for a signed GET. Empty if there are none.',
  ),
  public_fields: optional.of(
    z.record(z.string(), PublicField),
    'Auction-visible form fields by software field id.',
  ),
};

export const EventLot = z
  .object({
    id: z.string().describe('Public lot id (`lot_…`), used to bid.'),
    auction_id: z.string().describe('Public id of its auction.'),
    ...lotFields,
    registration_number: nullable.text('Registration plate.'),
    make: nullable.text('Manufacturer.'),
    model: nullable.text('Model.'),
    year: nullable.int('Year of manufacture.'),
    region: nullable.text('Region that it belongs to or is in.'),
    vehicle_type: nullable.text('Kind of vehicle.'),
    starting_price: money.describe('Opening price of the lot and start of its bid grid, INR decimal string.'),
    own_amount: nullable.money(
      "The caller's latest accepted amount, INR decimal string; absent for a platform without bidder_reference.",
    ),
    bidder_status: optional.of(
      openEnum('no_bid', 'leading', 'outbid'),
      "The buyer's standing, provisional; absent for a platform without bidder_reference.",
    ),
    channel_status: optional.of(
      openEnum('no_bid', 'leading'),
      "The standing of the caller's channel as a whole; one buyer's `bidder_status` may differ.",
    ),
    provisional: optional.flag('True: a standing is not a sale approval.'),
    highest_amount: nullable.money(
      'Highest accepted amount, INR decimal string; null without bids; absent in closed auctions.',
    ),
  })
  .meta({ title: "A lot inside its event, with the caller's own standing.", section: 'Event lot' });

const buyer = optional
  .of(bidderReference, 'Buyer whose standing to return; platforms and aggregators only.')
  .meta({ platformOnly: true });

const event = pathId.describe('Public auction id.');
const lot = pathId.describe('Public lot id; not an inventory vehicle id.');

export const events = resource('events', 'Auction events and the lots in them.', {
  list: read({
    id: 'events.list',
    path: '/events',
    scope: 'catalogue:read',
    summary: 'Lists the auction events that have lots assigned to these credentials.',
    notes: ['By default, lists only live events. Cancelled auctions are never listed.'],
    section: 'Catalogue and events',
    query: z.strictObject({
      status: optional.of(
        z.enum(['all', 'upcoming', 'live', 'over', 'active', 'scheduled', 'ended']),
        'Status filter; `active` (the default) means live. `scheduled` and `ended` are legacy aliases.',
      ),
      page: page.optional(),
      per_page: perPage.optional(),
    }),
    envelope: 'page',
    reply: AuctionEvent,
  }),
  get: read({
    id: 'events.get',
    path: '/events/{event}',
    scope: 'catalogue:read',
    summary: 'Reads one auction event.',
    section: 'Catalogue and events',
    params: { event },
    envelope: 'object',
    reply: AuctionEvent,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
  lots: read({
    id: 'events.lots',
    path: '/events/{event}/lots',
    scope: 'catalogue:read',
    summary: 'Lists the lots of an event that are assigned to these credentials.',
    section: 'Catalogue and events',
    params: { event },
    query: z.strictObject({
      search: optional.of(
        search,
        'Matches registration, make or model; at most 100 characters. White space around it is removed, and an empty one is left out.',
      ),
      bidder_reference: buyer,
      page: page.optional(),
      per_page: perPage.optional(),
    }),
    envelope: 'page',
    reply: EventLot,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
  lot: read({
    id: 'events.lot',
    path: '/events/{event}/lots/{lot}',
    scope: 'catalogue:read',
    summary: "Reads one lot of an event, with the caller's own standing.",
    section: 'Catalogue and events',
    params: { event, lot },
    query: z.strictObject({ bidder_reference: buyer }),
    envelope: 'object',
    reply: EventLot,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
  media: read({
    id: 'events.media',
    path: '/events/{event}/lots/{lot}/media/{media}',
    scope: 'catalogue:read',
    summary: 'Streams a photo or document of a lot.',
    notes: [
      'Do not cache the file (`private, no-store`). Browsers cannot sign requests, so fetch it here and serve the bytes yourself.',
    ],
    section: 'Catalogue and events',
    params: { event, lot, media: integerId.describe('Media id authorised for the lot, an integer.') },
    envelope: 'binary',
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
});
