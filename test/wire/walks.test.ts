import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { both, type Invocation, type WireCase } from './case.js';
import { cases } from './cases/all.js';
import type { Answer, Driver } from './driver.js';
import { expectRequests, perform } from './perform.js';
import { socketDriver } from './socket-driver.js';

interface Walk {
  readonly operation: string;
  readonly by: Invocation;
  readonly pages: readonly unknown[];
  /** The query of each request. */
  readonly queries: readonly string[];
  readonly items: readonly object[];
}

const [one, two, three] = [
  { id: 'x1', status: 'live', bid_increment: '1.00', revision: 1 },
  { id: 'x2', status: 'live', bid_increment: '1.00', revision: 1 },
  { id: 'x3', status: 'live', bid_increment: '1.00', revision: 1 },
];

const lot = (id: string) => ({ id, auction_id: 'auc_1', starting_price: '1.00', status: 'over' });
const bid = (public_id: string) => ({ public_id, amount: '1.00', status: 'accepted' });
const record = (id: string) => ({ id, state: 'pending', resource_version: 1 });
const notice = (id: string) => ({ id, resource_version: 1 });

const page = (data: readonly object[], current_page: number) => ({
  data,
  current_page,
  last_page: 2,
  total: 3,
});

const inside = (items: readonly object[], current_page: number) => ({
  data: { items, current_page, last_page: 2, total: 3 },
});

const walks: readonly Walk[] = [
  {
    operation: 'events.list',
    by: both((client) => client.events.list({ status: 'all', per_page: 2 }).toArray()),
    pages: [page([one, two], 1), page([three], 2)],
    queries: ['per_page=2&status=all', 'page=2&per_page=2&status=all'],
    items: [one, two, three],
  },
  {
    operation: 'events.lots',
    by: both((client) => client.events.lots('auc_7c1e', { search: 'a b' }).toArray()),
    pages: [page([lot('l1')], 1), page([lot('l2')], 2)],
    queries: ['search=a%20b', 'page=2&search=a%20b'],
    items: [lot('l1'), lot('l2')],
  },
  {
    operation: 'lots.list',
    by: both((client) => client.lots.list().toArray()),
    pages: [page([lot('l1')], 1), page([lot('l2')], 2)],
    queries: ['', 'page=2'],
    items: [lot('l1'), lot('l2')],
  },
  {
    operation: 'results.list',
    by: both((client) => client.results.list().toArray()),
    pages: [
      { data: [lot('l1')], current_page: 1, last_page: 2 },
      { data: [lot('l2')], current_page: 2, last_page: 2 },
    ],
    queries: ['', 'page=2'],
    items: [lot('l1'), lot('l2')],
  },
  {
    operation: 'bids.list',
    by: both((client) => client.bids.list({ bidder_reference: 'b' }).toArray()),
    pages: [
      { ...page([bid('b1')], 1), per_page: 25, next_page_url: 'https://elsewhere.example/bids?page=9' },
      { ...page([bid('b2')], 2), per_page: 25, next_page_url: null },
    ],
    queries: ['bidder_reference=b', 'bidder_reference=b&page=2'],
    items: [bid('b1'), bid('b2')],
  },
  {
    operation: 'bidCancellations.list',
    by: both((client) => client.bidCancellations.list({}, { extraQuery: { lot: 'l1' } }).toArray()),
    pages: [inside([record('r1')], 1), inside([record('r2')], 2)],
    queries: ['lot=l1', 'lot=l1&page=2'],
    items: [record('r1'), record('r2')],
  },
  {
    operation: 'saleCases.list',
    by: both((client) => client.saleCases.list().toArray()),
    pages: [inside([record('r1')], 1), inside([record('r2')], 2)],
    queries: ['', 'page=2'],
    items: [record('r1'), record('r2')],
  },
  {
    operation: 'notifications.list',
    by: both((client) => client.notifications.list().toArray()),
    pages: [page([notice('n1')], 1), page([notice('n2')], 2)],
    queries: ['', 'page=2'],
    items: [notice('n1'), notice('n2')],
  },
  {
    operation: 'winnerUpdates.list',
    by: both((client) => client.winnerUpdates.list({ limit: 1 }).toArray()),
    pages: [
      { data: [one], next_cursor: 'cur/2' },
      { updates: [two], next_cursor: 'cur 3' },
      { data: { items: [three] }, next_cursor: null },
    ],
    queries: ['limit=1', 'after=cur%2F2&limit=1', 'after=cur%203&limit=1'],
    items: [one, two, three],
  },
];

describe('every list, walked on a real socket', () => {
  let driver: Driver;
  beforeAll(async () => {
    driver = await socketDriver();
  });
  afterAll(() => driver[Symbol.asyncDispose]());

  it('is a list in the cases, and the other way round', () => {
    const lists = cases.filter(({ replies }) => isPage(replies[0].result));
    expect(walks.map(({ operation }) => operation).sort()).toEqual(
      lists.map(({ operation }) => operation).sort(),
    );
  });

  // rule: page.catalogue, page.results, page.bids, page.in-data, page.inbox, delivery.5
  it.each(walks)('$operation', async ({ operation, by, pages, queries, items }) => {
    for (const caller of ['platform', 'bank'] as const) {
      const { value, error, arrived } = await perform({
        driver,
        caller,
        call: { name: operation, by },
        answers: pages.map(answerOf),
      });
      if (error !== undefined) throw error;
      expect(value, caller).toStrictEqual(items);
      expect(arrived, caller).toHaveLength(queries.length);
      for (const [index, query] of queries.entries()) {
        expectRequests(arrived.slice(index, index + 1), {
          case: caseOf(operation),
          call: { name: operation, by, ...(query !== '' && { query }) },
          driver,
          label: `${operation} by a ${caller}, page ${index + 1}`,
        });
      }
    }
  });
});

function answerOf(json: unknown): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
}

function caseOf(operation: string): WireCase {
  const found = cases.find((each) => each.operation === operation);
  if (found === undefined) throw new Error(`No case for ${operation}`);
  return found;
}

function isPage(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'items' in result;
}
