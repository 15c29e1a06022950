import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseOf } from './case.js';
import { cases } from './cases/all.js';
import type { Driver } from './driver.js';
import { answerOf } from './operations-suite.js';
import { expectRequests, perform } from './perform.js';
import { socketDriver } from './socket-driver.js';

type Items = readonly object[];

/** A list on several pages: of each the query that asks for it, and its items. */
interface Walk {
  readonly operation: string;
  readonly given?: object;
  readonly options?: object;
  /** The reply of a page, by its number. */
  readonly reply: (page: number, items: Items) => object;
  readonly pages: readonly (readonly [query: string, items: Items])[];
}

const more = { status: 'live', bid_increment: '1.00', revision: 1, resource_version: 1 };
const lot = { auction_id: 'auc_1', starting_price: '1.00', status: 'over' };
const [a, b, c] = ['x1', 'x2', 'x3'].map((id) => ({ id, ...more })).map(Object);
const [lotA, lotB] = ['l1', 'l2'].map((id) => ({ id, ...lot })).map(Object);
const [bidA, bidB] = ['b1', 'b2']
  .map((public_id) => ({ public_id, amount: '1.00', status: 'live' }))
  .map(Object);
const [recordA, recordB] = ['r1', 'r2'].map((id) => ({ id, state: 'live', resource_version: 1 })).map(Object);

const onTop = (current_page: number, data: Items) => ({ data, current_page, last_page: 2, total: 3 });
const untotalled = (current_page: number, data: Items) => ({ data, current_page, last_page: 2 });
const inside = (current_page: number, items: Items) => ({
  data: { items, current_page, last_page: 2, total: 3 },
});
const elsewhere = { per_page: 25, next_page_url: 'https://elsewhere.example/bids?page=9' };
const linked = (page: number, items: Items) => ({ ...onTop(page, items), ...elsewhere });
const cursors = (page: number, items: Items) =>
  [
    { data: items, next_cursor: 'cur/2' },
    { updates: items, next_cursor: 'cur 3' },
    { data: { items }, next_cursor: null },
  ][page - 1] ?? {};

/** Two items on two pages, of a list that takes no parameters. */
function plain(operation: string, reply: Walk['reply'], first: object, second: object): Walk {
  const pages = [
    ['', [first]],
    ['page=2', [second]],
  ] as const;
  return { operation, reply, pages };
}

const walks: readonly Walk[] = [
  {
    operation: 'events.list',
    given: { status: 'all', per_page: 2 },
    reply: onTop,
    pages: [
      ['per_page=2&status=all', [a, b]],
      ['page=2&per_page=2&status=all', [c]],
    ],
  },
  {
    operation: 'events.lots',
    given: { search: 'a b' },
    reply: onTop,
    pages: [
      ['search=a%20b', [lotA]],
      ['page=2&search=a%20b', [lotB]],
    ],
  },
  {
    operation: 'bids.list',
    given: { bidder_reference: 'b' },
    reply: linked,
    pages: [
      ['bidder_reference=b', [bidA]],
      ['bidder_reference=b&page=2', [bidB]],
    ],
  },
  {
    operation: 'bidCancellations.list',
    given: {},
    options: { extraQuery: { lot: 'l1', status: 'pending' } },
    reply: inside,
    pages: [
      ['lot=l1&status=pending', [recordA]],
      ['lot=l1&page=2&status=pending', [recordB]],
    ],
  },
  {
    operation: 'winnerUpdates.list',
    given: { limit: 1 },
    reply: cursors,
    pages: [
      ['limit=1', [a]],
      ['after=cur%2F2&limit=1', [b]],
      ['after=cur%203&limit=1', [c]],
    ],
  },
  plain('lots.list', onTop, lotA, lotB),
  plain('results.list', untotalled, lotA, lotB),
  plain('saleCases.list', inside, recordA, recordB),
  plain('notifications.list', onTop, a, b),
];

describe('every list, walked on a real socket', () => {
  let driver: Driver;
  beforeAll(async () => {
    driver = await socketDriver();
  });
  afterAll(() => driver[Symbol.asyncDispose]());

  it('is a list in the cases, and the other way round', () => {
    const lists = cases.filter(({ replies }) => 'items' in Object(replies[0]?.result));
    const names = lists.map(({ operation }) => operation);
    expect(walks.map(({ operation }) => operation).sort()).toEqual(names.sort());
  });

  // rule: page.catalogue, page.results, page.bids, page.in-data, page.inbox, delivery.5
  it.each(walks)('$operation', async ({ operation, given, options, reply, pages }) => {
    const one = caseOf(cases, operation);
    const ids = one.calls[0]?.ids ?? [];
    const replies = pages.map(([, items], index) => reply(index + 1, items));
    const answers = replies.map((json) => answerOf({ name: '', json, result: undefined }));
    for (const caller of ['platform', 'bank'] as const) {
      const call = { operation, name: operation, by: [caller], ids, given, options, query: '' };
      const { value, error, arrived } = await perform({ driver, caller, call, answers, of: 'toArray' });
      if (error !== undefined) throw error;
      expect(value, caller).toStrictEqual(pages.flatMap(([, items]) => items));
      expect(arrived, caller).toHaveLength(pages.length);
      for (const [index, [query]] of pages.entries()) {
        const label = `${operation} by a ${caller}, page ${index + 1}`;
        const page = { case: one, call: { ...call, query }, driver, label };
        expectRequests(arrived.slice(index, index + 1), page);
      }
    }
  });
});
