import { both, type WireCase } from '../case.js';
import { detailReplies, further, pageReplies } from '../replies.js';

const event = {
  id: 'auc_7c1e',
  name: 'March repossessions',
  reference: 'REF-0326',
  distribution_mode: 'syndicated',
  bid_type: 'open',
  status: 'live',
  timezone: 'Asia/Kolkata',
  starts_at: '2026-03-02T10:00:00+05:30',
  ends_at: '2026-03-02T18:00:00+05:30',
  bid_increment: '5000.00',
  eligible_lots_count: 42,
  revision: 3,
  ...further,
};

const vehicle_details = {
  registration_number: 'KA01AB1234',
  make: 'Maruti Suzuki',
  model: 'Swift VXI',
  year: 2019,
  region: 'Karnataka',
  vehicle_type: 'car',
  yard: null,
  title: 'Swift VXI 2019',
  bank_reference: 'LN-90017',
  condition: 'running',
  'RC available': 'yes',
  'RC available 2': null,
  Remarks: '',
  keys: 2,
};

const eventLot = {
  vehicle_details,
  images: ['https://bank.example/api/v1/events/auc_7c1e/lots/lot_4f1c/media/901'],
  documents: ['https://bank.example/api/v1/events/auc_7c1e/lots/lot_4f1c/media/902'],
  id: 'lot_4f1c',
  auction_id: 'auc_7c1e',
  registration_number: 'KA01AB1234',
  make: 'Maruti Suzuki',
  model: 'Swift VXI',
  region: 'Karnataka',
  vehicle_type: 'car',
  year: 2019,
  starting_price: '450000.00',
  public_fields: { 17: { label: 'Fuel', value: 'petrol' }, odometer: { label: 'Odometer', value: 41250 } },
  own_amount: '465000.00',
  bidder_status: 'outbid',
  channel_status: 'leading',
  provisional: true,
  highest_amount: '470000.00',
  ...further,
};

const { highest_amount: _, own_amount: __, bidder_status: ___, ...closedLotOfNobody } = eventLot;

const barestLot = {
  ...eventLot,
  images: [],
  documents: [],
  own_amount: null,
  highest_amount: null,
  bidder_status: 'no_bid',
  channel_status: 'no_bid',
};

const lotSummary = {
  vehicle_details,
  images: [],
  documents: ['https://bank.example/api/v1/events/auc_7c1e/lots/lot_4f1c/media/902'],
  id: 'lot_4f1c',
  auction_id: 'auc_7c1e',
  title: 'Swift VXI 2019',
  category: 'car',
  starting_price: '450000.00',
  status: 'live',
  ends_at: '2026-03-02T18:00:00+05:30',
  public_fields: { 17: { label: 'Fuel', value: 'petrol' } },
  ...further,
};

const soldLot = { ...lotSummary, status: 'over' };

/** No text, in no encoding. */
const photo = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0a, 0x0d, 0xfe]);

export const catalogue: readonly WireCase[] = [
  {
    // rule: page.catalogue
    operation: 'events.list',
    id: 'events.list',
    route: 'GET /events',
    wire: 'GET /api/v1/events',
    effect: 'read',
    calls: [
      {
        name: 'with every parameter',
        by: both((client) => client.events.list({ status: 'upcoming', page: 1, per_page: 100 }).firstPage()),
        query: 'page=1&per_page=100&status=upcoming',
      },
      { name: 'with none', by: both((client) => client.events.list().firstPage()) },
      {
        name: 'with a legacy alias',
        by: both((client) => client.events.list({ status: 'ended' }).firstPage()),
        query: 'status=ended',
      },
    ],
    replies: pageReplies(event, { ...event, id: 'auc_7c1f', bid_type: 'closed', status: 'upcoming' }),
  },
  {
    operation: 'events.get',
    id: 'events.get',
    route: 'GET /events/{event}',
    wire: 'GET /api/v1/events/auc_7c1e',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.events.get('auc_7c1e')) }],
    replies: detailReplies(event, { ...event, bid_type: 'closed', status: 'over', bid_increment: '0.00' }),
  },
  {
    // rule: page.catalogue
    operation: 'events.lots',
    id: 'events.lots',
    route: 'GET /events/{event}/lots',
    wire: 'GET /api/v1/events/auc_7c1e/lots',
    effect: 'read',
    calls: [
      {
        name: 'with every parameter',
        by: {
          platform: (client) =>
            client.events
              .lots('auc_7c1e', {
                search: "Maruti Swift+ (ü) 50%*!'",
                bidder_reference: 'buyer-9',
                page: 2,
                per_page: 1,
              })
              .firstPage(),
        },
        query:
          'bidder_reference=buyer-9&page=2&per_page=1&search=Maruti%20Swift%2B%20%28%C3%BC%29%2050%25%2A%21%27',
      },
      {
        name: 'for nobody in particular',
        by: both((client) => client.events.lots('auc_7c1e', { search: 'KA01' }).firstPage()),
        query: 'search=KA01',
      },
    ],
    replies: pageReplies(eventLot, closedLotOfNobody),
  },
  {
    // rule: general.3, vehicle.values, vehicle.media-url, catalogue.summaries
    operation: 'events.lot',
    id: 'events.lot',
    route: 'GET /events/{event}/lots/{lot}',
    wire: 'GET /api/v1/events/auc_7c1e/lots/lot_4f1c',
    effect: 'read',
    calls: [
      {
        name: 'for a buyer',
        by: {
          platform: (client) => client.events.lot('auc_7c1e', 'lot_4f1c', { bidder_reference: 'buyer-9' }),
        },
        query: 'bidder_reference=buyer-9',
      },
      {
        name: 'for nobody in particular',
        by: both((client) => client.events.lot('auc_7c1e', 'lot_4f1c')),
      },
    ],
    replies: [
      ...detailReplies(eventLot, closedLotOfNobody, barestLot),
      {
        name: 'with an empty list for an empty object',
        json: { data: { ...eventLot, public_fields: [], vehicle_details: [] } },
        read: { data: { ...eventLot, public_fields: {}, vehicle_details: {} } },
        result: { ...eventLot, public_fields: {}, vehicle_details: {} },
      },
    ],
  },
  {
    // rule: catalogue.files
    operation: 'events.media',
    id: 'events.media',
    route: 'GET /events/{event}/lots/{lot}/media/{media}',
    wire: 'GET /api/v1/events/auc_7c1e/lots/lot_4f1c/media/901',
    effect: 'read',
    binary: true,
    calls: [
      {
        name: 'by number',
        by: both((client) => client.events.media('auc_7c1e', 'lot_4f1c', 901)),
      },
      {
        name: 'by digits',
        by: both((client) => client.events.media('auc_7c1e', 'lot_4f1c', '901')),
      },
    ],
    replies: [
      {
        name: 'a photo',
        headers: {
          'content-type': 'image/jpeg',
          'cache-control': 'private, no-store',
          'content-disposition': 'inline',
        },
        bytes: photo,
        result: {
          contentType: 'image/jpeg',
          contentLength: 7,
          contentDisposition: 'inline',
          bytes: 'ffd8ff000a0dfe',
        },
      },
      {
        name: 'a document',
        headers: {
          'content-type': 'application/pdf',
          'cache-control': 'private, no-store',
          'content-disposition': 'attachment; filename="rc.pdf"',
        },
        bytes: Buffer.from('%PDF'),
        result: {
          contentType: 'application/pdf',
          contentLength: 4,
          contentDisposition: 'attachment; filename="rc.pdf"',
          bytes: '25504446',
        },
      },
    ],
  },
  {
    // rule: page.catalogue
    operation: 'lots.list',
    id: 'lots.list',
    route: 'GET /lots',
    wire: 'GET /api/v1/lots',
    effect: 'read',
    calls: [
      {
        name: 'with a page',
        by: both((client) => client.lots.list({ page: 3 }).firstPage()),
        query: 'page=3',
      },
      { name: 'without', by: both((client) => client.lots.list().firstPage()) },
    ],
    replies: pageReplies(lotSummary),
  },
  {
    // rule: catalogue.summaries
    operation: 'vehicles.get',
    id: 'vehicles.get',
    route: 'GET /vehicles/{vehicle}',
    wire: 'GET /api/v1/vehicles/lot_4f1c',
    effect: 'read',
    calls: [{ name: 'by public lot id', by: both((client) => client.vehicles.get('lot_4f1c')) }],
    replies: detailReplies(lotSummary),
  },
  {
    // rule: general.3, page.results
    operation: 'results.list',
    id: 'results.list',
    route: 'GET /results',
    wire: 'GET /api/v1/results',
    effect: 'read',
    calls: [
      {
        name: 'with a page',
        by: both((client) => client.results.list({ page: 1 }).firstPage()),
        query: 'page=1',
      },
      { name: 'without', by: both((client) => client.results.list().firstPage()) },
    ],
    replies: [
      {
        name: 'a page of two, without a total',
        json: { data: [soldLot], current_page: 1, last_page: 2 },
        result: { items: [soldLot], page: 1, lastPage: 2 },
      },
    ],
  },
];
