// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { AuctionEvent, EventLot } from './schemas.js';

export const events = {
  list: {
    name: 'events.list',
    id: 'events.list',
    method: 'GET',
    path: '/events',
    availability: 'callable',
    effect: 'read',
    query: {
      fields: {
        status: { optional: { values: ['all', 'upcoming', 'live', 'over', 'active', 'scheduled', 'ended'] } },
        page: { optional: 'positive' },
        per_page: { optional: 'perPage' },
      },
    },
    success: [200],
    envelope: 'page',
    reply: {
      fields: {
        data: { list: AuctionEvent },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
      },
    },
  },
  get: {
    name: 'events.get',
    id: 'events.get',
    method: 'GET',
    path: '/events/{event}',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId' },
    success: [200],
    envelope: 'object',
    reply: { fields: { data: AuctionEvent } },
  },
  lots: {
    name: 'events.lots',
    id: 'events.lots',
    method: 'GET',
    path: '/events/{event}/lots',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId' },
    query: {
      fields: {
        search: { optional: 'search' },
        bidder_reference: { optional: 'bidderReference' },
        page: { optional: 'positive' },
        per_page: { optional: 'perPage' },
      },
    },
    asksForBuyer: true,
    success: [200],
    envelope: 'page',
    reply: {
      fields: { data: { list: EventLot }, current_page: 'int', last_page: 'int', total: { optional: 'int' } },
    },
  },
  lot: {
    name: 'events.lot',
    id: 'events.lot',
    method: 'GET',
    path: '/events/{event}/lots/{lot}',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId', lot: 'pathId' },
    query: { fields: { bidder_reference: { optional: 'bidderReference' } } },
    asksForBuyer: true,
    success: [200],
    envelope: 'object',
    reply: { fields: { data: EventLot } },
  },
  media: {
    name: 'events.media',
    id: 'events.media',
    method: 'GET',
    path: '/events/{event}/lots/{lot}/media/{media}',
    availability: 'callable',
    effect: 'read',
    params: { event: 'pathId', lot: 'pathId', media: 'integerId' },
    success: [200],
    envelope: 'binary',
  },
} satisfies Readonly<Record<string, Route>>;
