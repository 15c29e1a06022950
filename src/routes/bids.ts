// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { BidDetail, BidListItem, BidLookup, BidReceipt, CancellationRecord, RejectedBid } from './schemas.js';

export const bids = {
  submit: {
    name: 'bids.submit',
    id: 'bids.submit',
    method: 'POST',
    path: '/lots/{lot}/bids',
    availability: 'callable',
    effect: 'bid',
    actors: ['partner'],
    params: { lot: 'pathId' },
    body: {
      fields: {
        amount: 'amount',
        bidder_reference: { optional: 'bidderReference' },
        client_bid_time: { optional: 'dateTime' },
        dealer_id: 'dealerId',
        idempotency_key: 'uuid',
      },
      hints: {
        dealer_id:
          'give it here, or `dealerId` to the client (or VEHICLE_AUCTION_DEALER_ID, where the credentials come from the environment too)',
      },
    },
    success: [201, 200],
    envelope: 'bid',
    reply: {
      fields: {
        success: { values: [true] },
        code: { optional: 'string' },
        message: { optional: 'string' },
        data: BidReceipt,
        errors: { optional: { list: 'string' } },
        request_id: { optional: 'string' },
        timestamp: { optional: 'string' },
      },
    },
    rejection: RejectedBid,
  },
  list: {
    name: 'bids.list',
    id: 'bids.list',
    method: 'GET',
    path: '/bids',
    availability: 'callable',
    effect: 'read',
    query: { fields: { bidder_reference: { optional: 'bidderReference' }, page: { optional: 'positive' } } },
    success: [200],
    envelope: 'bids_page',
    reply: {
      fields: {
        data: { list: BidListItem },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
        per_page: { optional: 'int' },
        from: { optional: { nullable: 'int' } },
        to: { optional: { nullable: 'int' } },
        path: { optional: 'string' },
        first_page_url: { optional: { nullable: 'string' } },
        last_page_url: { optional: { nullable: 'string' } },
        next_page_url: { optional: { nullable: 'string' } },
        prev_page_url: { optional: { nullable: 'string' } },
        links: {
          optional: {
            list: {
              fields: {
                url: { optional: { nullable: 'string' } },
                label: { optional: 'string' },
                active: { optional: 'boolean' },
              },
            },
          },
        },
      },
    },
  },
  get: {
    name: 'bids.get',
    id: 'A05',
    method: 'GET',
    path: '/bids/{bid}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { bid: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: BidDetail, server_time: { optional: 'string' } } },
  },
  lookup: {
    name: 'bids.lookup',
    id: 'A06',
    method: 'GET',
    path: '/bid-requests/{idempotency_key}',
    availability: 'callable',
    effect: 'read',
    lane: 'bid',
    actors: ['partner'],
    params: { idempotency_key: 'uuid' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: BidLookup, server_time: { optional: 'string' } } },
  },
  requestCancellation: {
    name: 'bids.requestCancellation',
    id: 'A07',
    method: 'POST',
    path: '/bids/{bid}/cancellation-requests',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { bid: 'pathId' },
    body: { fields: { reason_code: 'filled', explanation: { optional: 'filled' }, idempotency_key: 'uuid' } },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: CancellationRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
