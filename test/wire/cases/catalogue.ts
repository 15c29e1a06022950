import { asks, type WireCase, wire } from '../case.js';
import { detailReplies, fileReply, further, pageReplies } from '../replies.js';

const event = {
  id: 'auc_7c1e',
  bid_type: 'open',
  status: 'live',
  bid_increment: '5000.00',
  revision: 3,
  ...further,
};

const vehicle_details = {
  year: 2019,
  yard: null,
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
  starting_price: '450000.00',
  status: 'live',
  public_fields: { 17: { label: 'Fuel', value: 'petrol' } },
  ...further,
};

const soldLot = { ...lotSummary, status: 'over' };

const emptyObjects = { public_fields: {}, vehicle_details: {} };
const emptyLists = {
  name: 'with an empty list for an empty object',
  json: { data: { ...eventLot, public_fields: [], vehicle_details: [] } },
  read: { data: { ...eventLot, ...emptyObjects } },
  result: { ...eventLot, ...emptyObjects },
};

const search = {
  search: "Maruti Swift+ (ü) 50%*!'",
  bidder_reference: 'buyer-9',
  page: 2,
  per_page: 1,
};
const searched =
  'bidder_reference=buyer-9&page=2&per_page=1&search=Maruti%20Swift%2B%20%28%C3%BC%29%2050%25%2A%21%27';

/** No text, in no encoding. */
const photo = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0a, 0x0d, 0xfe]);

export const catalogue: readonly WireCase[] = [
  // rule: page.catalogue
  wire(
    'events.list events.list GET /events catalogue:read -',
    [],
    [
      asks({ status: 'upcoming', page: 1, per_page: 100 }, 'page=1&per_page=100&status=upcoming'),
      asks(),
      // A legacy alias.
      asks({ status: 'ended' }, 'status=ended'),
    ],
    pageReplies(event, { ...event, id: 'auc_7c1f', bid_type: 'closed', status: 'upcoming' }),
  ),
  wire(
    'events.get events.get GET /events/{event} catalogue:read -',
    ['auc_7c1e'],
    [asks()],
    detailReplies(event, { ...event, bid_type: 'closed', status: 'over', bid_increment: '0.00' }),
  ),
  // rule: page.catalogue
  wire(
    'events.lots events.lots GET /events/{event}/lots catalogue:read -',
    ['auc_7c1e'],
    [asks(search, searched, ['platform']), asks({ search: 'KA01' }, 'search=KA01')],
    pageReplies(eventLot, closedLotOfNobody),
  ),
  // rule: general.3, vehicle.values, vehicle.media-url, catalogue.summaries
  wire(
    'events.lot events.lot GET /events/{event}/lots/{lot} catalogue:read -',
    ['auc_7c1e', 'lot_4f1c'],
    [asks({ bidder_reference: 'buyer-9' }, 'bidder_reference=buyer-9', ['platform']), asks()],
    [...detailReplies(eventLot, closedLotOfNobody, barestLot), emptyLists],
  ),
  // rule: catalogue.files
  wire(
    'events.media events.media GET /events/{event}/lots/{lot}/media/{media} catalogue:read -',
    ['auc_7c1e', 'lot_4f1c', 901],
    [asks()],
    [
      // rule: catalogue.browsers
      fileReply('image/jpeg', 'inline', photo),
      fileReply('application/pdf', 'attachment; filename="rc.pdf"', Buffer.from('%PDF')),
    ],
  ),
  // rule: page.catalogue
  wire(
    'lots.list lots.list GET /lots catalogue:read -',
    [],
    [asks({ page: 3 }, 'page=3'), asks()],
    pageReplies(lotSummary),
  ),
  // rule: catalogue.summaries
  wire(
    'vehicles.get vehicles.get GET /vehicles/{vehicle} vehicles:read -',
    ['lot_4f1c'],
    [asks()],
    detailReplies(lotSummary),
  ),
  // rule: general.3, page.results
  wire(
    'results.list results.list GET /results results:read -',
    [],
    [asks({ page: 1 }, 'page=1'), asks()],
    [
      {
        name: 'a page of two, without a total',
        json: { data: [soldLot], current_page: 1, last_page: 2 },
        result: { items: [soldLot], page: 1, lastPage: 2 },
      },
    ],
  ),
];
