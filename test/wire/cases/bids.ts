import { KEY } from '../../support/clients.js';
import { asks, sends, type WireCase, type WireReply, wire } from '../case.js';
import { further, SERVER_TIME } from '../replies.js';

const receipt = {
  request_id: 'req_b1',
  bid_id: 'bid_77',
  status: 'accepted',
  lot_version: 4,
  replayed: false,
  bidder_status: 'leading',
  channel_status: 'leading',
  highest_amount: '465000.00',
  ...further,
};

/** The answer to a bid; `read` is what its receipt is read as, where that differs. */
function submitted(name: string, status: number, over: object, read?: object): WireReply {
  const json = {
    success: true,
    code: 'BID_ACCEPTED',
    message: 'Bid accepted.',
    data: { ...receipt, ...over },
    errors: [],
    request_id: 'req_b1',
    timestamp: SERVER_TIME,
    ...further,
  };
  const result = { ...receipt, ...(read ?? over) };
  const info = { requestId: 'req_b1', serverTime: SERVER_TIME, replayed: result.replayed };
  return { name, status, json, result, info, read: { ...json, data: result } };
}

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
  last_page: 2,
  links: [
    { url: 'https://bank.example/api/v1/bids?page=1', label: '&laquo; Previous', active: false },
    { url: 'https://bank.example/api/v1/bids?page=2', label: '2', active: true },
    { url: null, label: 'Next &raquo;', active: false },
  ],
  next_page_url: null,
  per_page: 25,
  total: 27,
};
const emptyPage = { current_page: 1, data: [], last_page: 1, total: 0 };

const one = { sale_id: 'sale_5', lot: { id: 'lot_4f1c' }, winner: true, amounts: [] };
const two = { anything: null };
const next_cursor = 'cur_2';

/** The text names `next_cursor` and nothing else of the envelope, so the list may be called anything. */
const updates = (
  name: string,
  json: object,
  items: readonly object[],
  info: WireReply['info'] = {},
): WireReply => ({
  name,
  json,
  result: { items, ...(JSON.stringify(json).includes(next_cursor) && { nextCursor: next_cursor }) },
  info,
});

const told = { serverTime: SERVER_TIME };
const named = { requestId: 'req_w' };
const winnerReplies: readonly WireReply[] = [
  updates('in `data`', { data: [one, two], next_cursor }, [one, two]),
  updates('beside `server_time`', { server_time: SERVER_TIME, next_cursor, data: [one] }, [one], told),
  updates('inside `data`, with the cursor', { data: { items: [one], next_cursor } }, [one]),
  updates('inside `data`, the cursor outside', { data: { updates: [one] }, next_cursor }, [one]),
  updates('under its own name', { winner_updates: [one], next_cursor, request_id: 'req_w' }, [one], named),
  updates('at the end', { data: [], next_cursor: null }, []),
  updates('at the end, without a cursor', { data: { items: [two] } }, [two]),
];

const bid = {
  amount: '465000.50',
  bidder_reference: 'buyer-9',
  client_bid_time: '2026-03-02T11:30:00+05:30',
  dealer_id: 'D-204',
  idempotency_key: KEY,
};
const barest = { amount: '1', bidder_reference: 'b', dealer_id: 'D-204', idempotency_key: KEY };
const dealers = { amount: '999999999999.99', dealer_id: 'D-204', idempotency_key: KEY };

export const bids: readonly WireCase[] = [
  // rule: bid-state.accepted
  wire(
    'bids.submit bids.submit POST /lots/{lot}/bids bids:write -',
    ['lot_4f1c'],
    [
      sends(bid, { by: ['platform'] }),
      sends(barest, { by: ['platform'], filled: ['dealer_id'] }),
      sends(dealers, { by: ['dealer'], filled: ['dealer_id'] }),
    ],
    [
      submitted('first accepted', 201, {}),
      submitted('the same bid again', 200, { replayed: true }),
      submitted('with a number', 201, { current_amount: 465000.5 }, { current_amount: '465000.50' }),
      submitted('in a closed auction', 201, { highest_amount: null, bidder_status: 'outbid' }),
    ],
  ),
  wire(
    'bids.list bids.list GET /bids bids:read -',
    [],
    [asks({ page: 2, bidder_reference: 'buyer_9-x' }, 'bidder_reference=buyer_9-x&page=2'), asks()],
    [
      {
        name: 'a page with everything that the framework adds',
        json: bidsPage,
        result: { items: [listed, ownListed], page: 2, lastPage: 2, total: 27 },
      },
      {
        name: 'an empty page',
        json: { ...bidsPage, ...emptyPage },
        result: { items: [], page: 1, lastPage: 1, total: 0 },
      },
    ],
  ),
  // rule: winner.cursor
  wire(
    'winnerUpdates.list winnerUpdates.list GET /winner-updates sales:read -',
    [],
    [asks({ after: 'cur/1=+', limit: 50 }, 'after=cur%2F1%3D%2B&limit=50'), asks()],
    winnerReplies,
  ),
];
