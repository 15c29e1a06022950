import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { bid, lotOf } from '../caller.js';
import { approval, command, saleOf, wonLot } from '../workflow.js';
import { asked, data, eventLot, provesEach } from './table.js';

/** A repeated name, with its values falling and rising: 401 where it was signed in another order than it counts. */
async function repeatedNames(sandbox: Sandbox) {
  const answers: unknown[] = [];
  for (const query of ['page=2&page=1', 'page=1&page=2']) {
    const { status, json } = await asked(sandbox, '/lots', query);
    answers.push(status === 401 ? json.code : status);
  }
  return answers;
}

async function repeatedValues(sandbox: Sandbox) {
  const answers: unknown[] = [];
  for (const [path, query] of [
    ['/lots', 'page=1&page=2'],
    ['/events', 'status=live&status=over'],
    ['/integration/profile', ''],
    ['/integration/profile', 'page=1&page=2'],
  ] as const) {
    const { status, json } = await asked(sandbox, path, query);
    answers.push(status === 200 ? (json.current_page ?? 200) : [status, Object.keys(json.errors)]);
  }
  return answers;
}

/** An approval without a reason, and a request to cancel a bid with all that is listed. */
async function leftOut(sandbox: Sandbox) {
  const { dealer, bank } = sandbox.credentials;
  const sold = await wonLot(sandbox);
  const before = await saleOf(sandbox, sold.saleId);
  const committed = sandbox.ledger().length;
  const path = `/api/v1/bids/${sold.bidId}/cancellation-requests`;
  const short = await command(sandbox, dealer, path, { reason_code: 'SLIP' });
  const answers: unknown[] = [short.status, short.json.errors];
  if (short.status === 422) {
    expect(sandbox.ledger()).toHaveLength(committed);
    const full = { reason_code: 'SLIP', explanation: 'A slip' };
    answers.push((await command(sandbox, dealer, path, full)).status);
  }
  const body = { ...(await approval(sandbox, sold)), expected_version: before.resource_version };
  const decision = await command(sandbox, bank, `/api/v1/sale-cases/${sold.saleId}/decisions`, body);
  return [...answers, decision.status, decision.json.errors];
}

const required = ['The field is required.'];

/** Moments of every kind: in an event, of a reply, of a record, of a bid, and as a caller sent one. */
async function moments(sandbox: Sandbox) {
  const { id } = sandbox.auctions.get('live-open');
  sandbox.auctions.moveClose('live-open', '2026-03-01T12:00:00.250Z');
  const { ends_at } = await data(sandbox, `/events/${id}`);
  const { server_time } = (await asked(sandbox, '/integration/profile')).json;
  sandbox.clock.advance(120);
  const lot = lotOf(sandbox, 'live-open');
  const { json } = await bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.startingPrice });
  return [ends_at, server_time, json.timestamp, json.data.server_received_at];
}

const operationIds = async (sandbox: Sandbox) => {
  const { operations } = await data(sandbox, '/integration/profile');
  const own = operations.filter(({ id }: { id: string }) => !/^A\d\d$/.test(id));
  expect(operations.length - own.length).toBeGreaterThan(20);
  return own.map(({ id }: { id: string }) => id).slice(0, 2);
};

/** What a bank is answered for its events and its profile of them, and a partner for the same. */
async function actors(sandbox: Sandbox) {
  const { bank, dealer } = sandbox.credentials;
  const answers: unknown[] = [];
  for (const who of [bank, dealer]) {
    const { status, json } = await asked(sandbox, '/events', '', who);
    const { operations } = await data(sandbox, '/integration/profile', '', who);
    const listed = operations.find(({ id }: { id: string }) => id === 'events.list');
    answers.push([status, json.code, listed?.actors]);
  }
  return answers;
}

/** What stands behind `/api/v1` in an address. */
const pathOf = (url: string) => new URL(url).pathname.slice('/index.php/api/v1'.length);

/** The form of every kind of id, and that they work in a path, escaped or not. */
async function ids(sandbox: Sandbox) {
  const lot = await eventLot(sandbox, 'live-open');
  const escaped = encodeURIComponent(lot.auction_id);
  const reads = [`/events/${escaped}`, `/lots/${lot.id}/status`, pathOf(lot.images[0])];
  for (const path of reads) expect([path, (await asked(sandbox, path)).status]).toEqual([path, 200]);
  const { json } = await bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.starting_price });
  const { bid_id } = json.data;
  expect((await data(sandbox, `/bids/${bid_id}`)).lot_id).toBe(lot.id);
  const form = (id: string) => {
    if (/^[a-z]+_[0-9a-f]{12}$/.test(id)) return 'hex';
    return /^[a-z]+_[0-9A-F]{4}\.[0-9a-f]{4}:[0-9a-f]{4}~$/.test(id) ? 'punctuated' : id;
  };
  return [lot.auction_id, lot.id, bid_id].map(form);
}

/** The names that pages have beside their items and numbers. */
async function extras(sandbox: Sandbox) {
  const names = new Set<string>();
  for (const path of ['/events', '/lots', '/results', '/bids', '/notifications']) {
    const { data: _, current_page: __, last_page: ___, ...rest } = (await asked(sandbox, path)).json;
    for (const name of ['server_time', 'request_id']) if (name in rest) names.add(`${path} ${name}`);
  }
  return names.size;
}

/** Behind the last page of a list with items, of one without, and the last page itself. */
async function pastTheEnd(sandbox: Sandbox) {
  const { last_page } = (await asked(sandbox, '/lots')).json;
  const answers: unknown[] = [];
  for (const [path, page] of [
    ['/lots', last_page],
    ['/lots', last_page + 1],
    ['/bids', 1],
    ['/bids', 2],
  ] as const) {
    const { status, json } = await asked(sandbox, path, `page=${page}`);
    answers.push(status === 200 ? json.data.length > 0 : status);
  }
  return answers;
}

async function emptyLists(sandbox: Sandbox) {
  const bids = (await asked(sandbox, '/bids')).json;
  const sales = (await data(sandbox, '/sale-cases')).last_page;
  const lots = (await asked(sandbox, '/lots')).json.last_page;
  return [bids.last_page, bids.last_page_url.replace(/.*\?/, ''), bids.links.length, sales, lots];
}

/** The announcement on an answer, on a refusal, and on a file. */
async function announced(sandbox: Sandbox) {
  const { images } = await eventLot(sandbox, 'live-open');
  const replies = [
    await asked(sandbox, '/events'),
    await asked(sandbox, '/events/auc_none'),
    await asked(sandbox, pathOf(images[0])),
  ];
  return replies.map(({ headers }) => [headers.get('deprecation'), headers.get('sunset')]);
}

const announcement = ['@1798761600', 'Thu, 01 Jul 2027 00:00:00 GMT'];

/** References that no bid can have, and one that is too long for any. */
async function references(sandbox: Sandbox) {
  const answers: unknown[] = [];
  for (const reference of ['B.1', 'B%201', 'x'.repeat(121)]) {
    const { platform } = sandbox.credentials;
    const { status, json } = await asked(sandbox, '/bids', `bidder_reference=${reference}`, platform);
    answers.push(status === 200 ? json.total : [status, Object.keys(json.errors)]);
  }
  return answers;
}

const refused = [422, ['bidder_reference']];

provesEach('requests and replies', [
  ['query-repeated-names', 'order-sent', repeatedNames, [422, 422]],
  ['query-repeated-names', 'by-value', repeatedNames, ['INVALID_SIGNATURE', 422]],
  [
    'query-repeated-values',
    'refused',
    repeatedValues,
    [[422, ['page']], [422, ['status']], 200, [422, ['page']]],
  ],
  ['query-repeated-values', 'last', repeatedValues, [2, 1, 200, [422, ['page']]]],
  ['command-required-fields', 'usual', leftOut, [200, undefined, 200, undefined]],
  [
    'command-required-fields',
    'all',
    leftOut,
    [422, { explanation: required }, 200, 422, { reason: required }],
  ],
  [
    'time-precision',
    'milliseconds',
    moments,
    [
      '2026-03-01T17:30:00.250+05:30',
      '2026-03-01T10:00:00.000Z',
      '2026-03-01T10:00:00.120Z',
      '2026-03-01T10:00:00.120Z',
    ],
  ],
  [
    'time-precision',
    'seconds',
    moments,
    ['2026-03-01T17:30:00+05:30', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
  ],
  [
    'time-precision',
    'microseconds',
    moments,
    [
      '2026-03-01T17:30:00.250000+05:30',
      '2026-03-01T10:00:00.000000Z',
      '2026-03-01T10:00:00.120000Z',
      '2026-03-01T10:00:00.120000Z',
    ],
  ],
  [
    'time-precision',
    'offset',
    moments,
    [
      '2026-03-01T17:30:00+05:30',
      '2026-03-01T15:30:00+05:30',
      '2026-03-01T15:30:00+05:30',
      '2026-03-01T15:30:00+05:30',
    ],
  ],
  ['unlisted-operation-ids', 'slugs', operationIds, ['events.list', 'events.get']],
  ['unlisted-operation-ids', 'unfamiliar', operationIds, ['X-events-list', 'X-events-get']],
  ['unlisted-operation-ids', 'absent', operationIds, []],
  [
    'unnamed-actors',
    'both',
    actors,
    [
      [200, undefined, ['bank', 'partner']],
      [200, undefined, ['bank', 'partner']],
    ],
  ],
  [
    'unnamed-actors',
    'partner',
    actors,
    [
      [403, 'SCOPE_DENIED', undefined],
      [200, undefined, ['partner']],
    ],
  ],
  ['id-forms', 'hex', ids, ['hex', 'hex', 'hex']],
  ['id-forms', 'punctuated', ids, ['punctuated', 'punctuated', 'punctuated']],
  ['page-envelope-details', 'bare', extras, 0],
  ['page-envelope-details', 'stamped', extras, 10],
  ['page-past-the-end', 'empty', pastTheEnd, [true, false, false, false]],
  ['page-past-the-end', 'not-found', pastTheEnd, [true, 404, false, 404]],
  ['empty-list-last-page', '1', emptyLists, [1, 'page=1', 3, 1, 4]],
  ['empty-list-last-page', '0', emptyLists, [0, 'page=1', 2, 0, 4]],
  [
    'api-deprecation',
    'none',
    announced,
    [
      [null, null],
      [null, null],
      [null, null],
    ],
  ],
  ['api-deprecation', 'announced', announced, [announcement, announcement, announcement]],
  ['bidder-reference-in-queries', 'as-in-bids', references, [refused, refused, refused]],
  ['bidder-reference-in-queries', 'any', references, [0, 0, refused]],
]);
