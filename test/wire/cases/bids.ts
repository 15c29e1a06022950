import { KEY } from '../../support/clients.js';
import { both, type WireCase, type WireReply } from '../case.js';
import { further, SERVER_TIME } from '../replies.js';

const receipt = {
  request_id: 'req_b1',
  bid_id: 'bid_77',
  status: 'accepted',
  server_received_at: '2026-03-02T06:00:00.120+00:00',
  lot_version: 4,
  effective_close_at: '2026-03-02T12:30:00+00:00',
  replayed: false,
  bidder_status: 'leading',
  channel_status: 'leading',
  highest_amount: '465000.00',
  ...further,
};

function submitted(data: object) {
  return {
    success: true,
    code: 'BID_ACCEPTED',
    message: 'Bid accepted.',
    data,
    errors: [],
    request_id: 'req_b1',
    timestamp: SERVER_TIME,
    ...further,
  };
}

const bidInfo = { requestId: 'req_b1', serverTime: SERVER_TIME };

const listed = {
  public_id: 'bid_77',
  bidder_reference: 'buyer-9',
  amount: '465000.00',
  status: 'accepted',
  created_at: '2026-03-02 06:00:00',
  ...further,
};
const ownListed = { ...listed, public_id: 'bid_78', bidder_reference: null, status: 'rejected' };

const bidsPage = {
  current_page: 2,
  data: [listed, ownListed],
  first_page_url: 'https://bank.example/api/v1/bids?page=1',
  from: 26,
  last_page: 2,
  last_page_url: 'https://bank.example/api/v1/bids?page=2',
  links: [
    { url: 'https://bank.example/api/v1/bids?page=1', label: '&laquo; Previous', active: false },
    { url: 'https://bank.example/api/v1/bids?page=2', label: '2', active: true },
    { url: null, label: 'Next &raquo;', active: false },
  ],
  next_page_url: null,
  path: 'https://bank.example/api/v1/bids',
  per_page: 25,
  prev_page_url: 'https://bank.example/api/v1/bids?page=1',
  to: 27,
  total: 27,
};

const update = { sale_id: 'sale_5', lot: { id: 'lot_4f1c' }, winner: true, amounts: [] };
const another = { anything: null };

/** The text names `next_cursor` and nothing else of the envelope, so the list may be called anything. */
const updates: readonly [WireReply, ...WireReply[]] = [
  {
    name: 'in `data`',
    json: { data: [update, another], next_cursor: 'cur_2' },
    result: { items: [update, another], nextCursor: 'cur_2' },
  },
  {
    name: 'in `data`, the cursor beside `server_time`',
    json: { server_time: SERVER_TIME, next_cursor: 'cur_2', data: [update] },
    result: { items: [update], nextCursor: 'cur_2' },
    info: { serverTime: SERVER_TIME },
  },
  {
    name: 'inside `data`, with the cursor',
    json: { data: { items: [update], next_cursor: 'cur_2' } },
    result: { items: [update], nextCursor: 'cur_2' },
  },
  {
    name: 'inside `data`, the cursor outside',
    json: { data: { updates: [update] }, next_cursor: 'cur_2' },
    result: { items: [update], nextCursor: 'cur_2' },
  },
  {
    name: 'under a name of its own',
    json: { winner_updates: [update, another], next_cursor: 'cur_2', request_id: 'req_w' },
    result: { items: [update, another], nextCursor: 'cur_2' },
    info: { requestId: 'req_w' },
  },
  {
    name: 'at the end',
    json: { data: [], next_cursor: null },
    result: { items: [] },
  },
  {
    name: 'at the end, without a cursor',
    json: { data: { items: [another] } },
    result: { items: [another] },
  },
];

export const bids: readonly WireCase[] = [
  {
    // rule: bid-state.accepted
    operation: 'bids.submit',
    id: 'bids.submit',
    route: 'POST /lots/{lot}/bids',
    wire: 'POST /api/v1/lots/lot_4f1c/bids',
    effect: 'bid',
    calls: [
      {
        name: 'of a platform, with every field',
        by: {
          platform: (client, options) =>
            client.bids.submit(
              'lot_4f1c',
              {
                dealer_id: 'D-204',
                amount: '465000.50',
                bidder_reference: 'buyer-9',
                client_bid_time: '2026-03-02T11:30:00+05:30',
              },
              options,
            ),
        },
        body: `{"amount":"465000.50","bidder_reference":"buyer-9","client_bid_time":"2026-03-02T11:30:00+05:30","dealer_id":"D-204","idempotency_key":"${KEY}"}`,
      },
      {
        name: 'of a platform, with what it must have',
        by: {
          platform: (client, options) =>
            client.bids.submit('lot_4f1c', { amount: '1', bidder_reference: 'b' }, options),
        },
        body: `{"amount":"1","bidder_reference":"b","dealer_id":"D-204","idempotency_key":"${KEY}"}`,
      },
      {
        name: 'of a direct dealer',
        by: {
          dealer: (client, options) => client.bids.submit('lot_4f1c', { amount: '999999999999.99' }, options),
        },
        body: `{"amount":"999999999999.99","dealer_id":"D-204","idempotency_key":"${KEY}"}`,
      },
    ],
    replies: [
      {
        name: 'first accepted',
        status: 201,
        json: submitted(receipt),
        result: receipt,
        info: bidInfo,
      },
      {
        name: 'the same bid again',
        status: 200,
        json: submitted({ ...receipt, replayed: true }),
        result: { ...receipt, replayed: true },
        info: { ...bidInfo, replayed: true },
      },
      {
        name: 'with open visibility, whose amount comes as a number',
        status: 201,
        json: submitted({ ...receipt, current_amount: 465000.5 }),
        read: submitted({ ...receipt, current_amount: '465000.50' }),
        result: { ...receipt, current_amount: '465000.50' },
        info: bidInfo,
      },
      {
        name: 'in a closed auction',
        status: 201,
        json: submitted({ ...receipt, highest_amount: null, bidder_status: 'outbid' }),
        result: { ...receipt, highest_amount: null, bidder_status: 'outbid' },
        info: bidInfo,
      },
    ],
  },
  {
    operation: 'bids.list',
    id: 'bids.list',
    route: 'GET /bids',
    wire: 'GET /api/v1/bids',
    effect: 'read',
    calls: [
      {
        name: 'with every parameter',
        by: both((client) => client.bids.list({ page: 2, bidder_reference: 'buyer_9-x' }).firstPage()),
        query: 'bidder_reference=buyer_9-x&page=2',
      },
      { name: 'with none', by: both((client) => client.bids.list().firstPage()) },
    ],
    replies: [
      {
        name: 'a page with everything that the framework adds',
        json: bidsPage,
        result: { items: [listed, ownListed], page: 2, lastPage: 2, total: 27 },
      },
      {
        name: 'an empty page',
        json: {
          ...bidsPage,
          current_page: 1,
          data: [],
          from: null,
          last_page: 1,
          prev_page_url: null,
          to: null,
          total: 0,
        },
        result: { items: [], page: 1, lastPage: 1, total: 0 },
      },
    ],
  },
  {
    // rule: winner.cursor
    operation: 'winnerUpdates.list',
    id: 'winnerUpdates.list',
    route: 'GET /winner-updates',
    wire: 'GET /api/v1/winner-updates',
    effect: 'read',
    calls: [
      {
        name: 'with every parameter',
        by: both((client) => client.winnerUpdates.list({ after: 'cur/1=+', limit: 50 }).firstPage()),
        query: 'after=cur%2F1%3D%2B&limit=50',
      },
      { name: 'from the beginning', by: both((client) => client.winnerUpdates.list().firstPage()) },
    ],
    replies: updates,
  },
];
