import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseOf } from './case.js';
import { cases } from './cases/all.js';
import type { Driver } from './driver.js';
import { answerOf } from './operations-suite.js';
import { expectRequests, perform } from './perform.js';
import { socketDriver } from './socket-driver.js';

interface Walk {
  readonly operation: string;
  readonly given?: object;
  readonly options?: object;
  /** Query of each request, and what it is answered. */
  readonly pages: readonly (readonly [query: string, json: object])[];
  readonly items: readonly object[];
}

const [a, b, c] = ['x1', 'x2', 'x3'].map((id) => ({
  id,
  status: 'live',
  bid_increment: '1.00',
  revision: 1,
}));
const [lotA, lotB] = ['l1', 'l2'].map((id) => ({
  id,
  auction_id: 'auc_1',
  starting_price: '1.00',
  status: 'over',
}));
const [bidA, bidB] = ['b1', 'b2'].map((public_id) => ({ public_id, amount: '1.00', status: 'accepted' }));
const [recordA, recordB] = ['r1', 'r2'].map((id) => ({ id, state: 'pending', resource_version: 1 }));
const [noticeA, noticeB] = ['n1', 'n2'].map((id) => ({ id, resource_version: 1 }));

const page = (current_page: number, ...data: readonly unknown[]) => ({
  data,
  current_page,
  last_page: 2,
  total: 3,
});
const inside = (current_page: number, ...items: readonly unknown[]) => ({
  data: { items, current_page, last_page: 2, total: 3 },
});
const elsewhere = { next_page_url: 'https://elsewhere.example/bids?page=9' };

/** Two items on two pages, of a list that takes no parameters. */
function plain(operation: string, of: typeof page | typeof inside, items: readonly unknown[]): Walk {
  const [first, second] = items;
  return {
    operation,
    pages: [
      ['', of(1, first)],
      ['page=2', of(2, second)],
    ],
    items: items.map(Object),
  };
}

const walks: readonly Walk[] = [
  {
    operation: 'events.list',
    given: { status: 'all', per_page: 2 },
    pages: [
      ['per_page=2&status=all', page(1, a, b)],
      ['page=2&per_page=2&status=all', page(2, c)],
    ],
    items: [a, b, c].map(Object),
  },
  {
    operation: 'events.lots',
    given: { search: 'a b' },
    pages: [
      ['search=a%20b', page(1, lotA)],
      ['page=2&search=a%20b', page(2, lotB)],
    ],
    items: [lotA, lotB].map(Object),
  },
  plain('lots.list', page, [lotA, lotB]),
  {
    operation: 'results.list',
    pages: [
      ['', { data: [lotA], current_page: 1, last_page: 2 }],
      ['page=2', { data: [lotB], current_page: 2, last_page: 2 }],
    ],
    items: [lotA, lotB].map(Object),
  },
  {
    operation: 'bids.list',
    given: { bidder_reference: 'b' },
    pages: [
      ['bidder_reference=b', { ...page(1, bidA), per_page: 25, ...elsewhere }],
      ['bidder_reference=b&page=2', { ...page(2, bidB), per_page: 25, next_page_url: null }],
    ],
    items: [bidA, bidB].map(Object),
  },
  {
    operation: 'bidCancellations.list',
    given: {},
    options: { extraQuery: { lot: 'l1', status: 'pending' } },
    pages: [
      ['lot=l1&status=pending', inside(1, recordA)],
      ['lot=l1&page=2&status=pending', inside(2, recordB)],
    ],
    items: [recordA, recordB].map(Object),
  },
  plain('saleCases.list', inside, [recordA, recordB]),
  plain('notifications.list', page, [noticeA, noticeB]),
  {
    operation: 'winnerUpdates.list',
    given: { limit: 1 },
    pages: [
      ['limit=1', { data: [a], next_cursor: 'cur/2' }],
      ['after=cur%2F2&limit=1', { updates: [b], next_cursor: 'cur 3' }],
      ['after=cur%203&limit=1', { data: { items: [c] }, next_cursor: null }],
    ],
    items: [a, b, c].map(Object),
  },
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
  it.each(walks)('$operation', async ({ operation, given, options, pages, items }) => {
    const one = caseOf(cases, operation);
    const ids = one.calls[0]?.ids ?? [];
    for (const caller of ['platform', 'bank'] as const) {
      const call = { operation, name: operation, by: [caller], ids, given, options, query: '' };
      const answers = pages.map(([, json]) => answerOf({ name: '', json, result: undefined }));
      const { value, error, arrived } = await perform({ driver, caller, call, answers, of: 'toArray' });
      if (error !== undefined) throw error;
      expect(value, caller).toStrictEqual(items);
      expect(arrived, caller).toHaveLength(pages.length);
      for (const [index, [query]] of pages.entries()) {
        const label = `${operation} by a ${caller}, page ${index + 1}`;
        expectRequests(arrived.slice(index, index + 1), {
          case: one,
          call: { ...call, query },
          driver,
          label,
        });
      }
    }
  });
});
