import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { dealer, rejection } from '../support/clients.js';

const event = (id: string) => ({ id, status: 'live', bid_increment: '5000.00', revision: 1 });
const page = (ids: readonly string[], current_page: number, last_page: number) => ({
  status: 200,
  json: { data: ids.map(event), current_page, last_page, total: 99 },
});

describe('a pager', () => {
  it('sends nothing before it is walked, and asks for live events by default', async () => {
    const { client, transport } = dealer([page(['a'], 1, 1)]);
    const pager = client.events.list();
    expect(transport.sent).toEqual([]);
    await pager.firstPage();
    expect(transport.sent[0]?.path).toBe('/api/v1/events');
  });

  it('walks every item, page by page, with the filters on each page', async () => {
    const { client, transport } = dealer([page(['a', 'b'], 1, 3), page([], 2, 3), page(['c'], 3, 3)]);
    const ids: string[] = [];
    for await (const { id } of client.events.list({ status: 'all', per_page: 2 })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(transport.sent.map((sent) => sent.path)).toEqual([
      '/api/v1/events?per_page=2&status=all',
      '/api/v1/events?page=2&per_page=2&status=all',
      '/api/v1/events?page=3&per_page=2&status=all',
    ]);
  });

  it('reads no further than it is walked', async () => {
    const { client, transport } = dealer([page(['a', 'b'], 1, 3)]);
    for await (const { id } of client.events.list()) if (id === 'b') break;
    expect(transport.sent).toHaveLength(1);
    const again = dealer([page(['a', 'b'], 1, 3)]);
    expect(await again.client.events.list().toArray({ limit: 2 })).toHaveLength(2);
    expect(await again.client.events.list().toArray({ limit: 0 })).toEqual([]);
    expect(again.transport.sent).toHaveLength(1);
  });

  it('follows a last page that moves out, and stops where it moves in', async () => {
    const grows = dealer([page(['a'], 1, 1 + 1), page(['b'], 2, 3), page(['c'], 3, 3)]);
    expect((await grows.client.events.list().toArray()).map((one) => one.id)).toEqual(['a', 'b', 'c']);
    const shrinks = dealer([page(['a'], 1, 3), page(['a'], 1, 1)]);
    expect((await shrinks.client.events.list().toArray()).map((one) => one.id)).toEqual(['a']);
  });

  it('never loops on a repeated page', async () => {
    const { client } = dealer([page(['a'], 1, 3), page(['a'], 1, 3)]);
    expect(await rejection(client.events.list().toArray())).toMatchObject({
      name: 'UnexpectedResponseError',
      message: expect.stringContaining('Page 2 was asked for and page 1 came'),
    });
  });

  it('starts at the page that the query names', async () => {
    const { client, transport } = dealer([page(['c'], 3, 4), page(['d'], 4, 4)]);
    expect(await client.events.list({ page: 3 }).toArray()).toHaveLength(2);
    expect(transport.sent.map((sent) => sent.path)).toEqual([
      '/api/v1/events?page=3',
      '/api/v1/events?page=4',
    ]);
  });

  it('does not see a filter that is changed behind its back', async () => {
    const { client, transport } = dealer([page(['a'], 1, 2), page(['b'], 2, 2)]);
    const query: { status: 'all' | 'over' } = { status: 'all' };
    for await (const _ of client.events.list(query)) query.status = 'over';
    expect(transport.sent[1]?.path).toBe('/api/v1/events?page=2&status=all');
  });

  it('gives pages with their position and the reply around them', async () => {
    const { client } = dealer([page(['a'], 2, 7)]);
    const second = await client.events.list().page(2);
    expect(second).toEqual({ items: [event('a')], page: 2, lastPage: 7, total: 99 });
    expect(responseOf(second).status).toBe(200);
  });

  // rule: page.bids
  it("reads the framework's envelope of /bids", async () => {
    const { client } = dealer([
      {
        status: 200,
        json: {
          current_page: 1,
          data: [
            {
              public_id: 'bid_1',
              bidder_reference: null,
              amount: '465000.00',
              status: 'accepted',
              created_at: '2026-03-02 06:00:00',
            },
          ],
          first_page_url: 'https://bank.example/api/v1/bids?page=1',
          from: 1,
          last_page: 1,
          last_page_url: 'https://bank.example/api/v1/bids?page=1',
          links: [{ url: null, label: '«', active: false }],
          next_page_url: null,
          path: 'https://bank.example/api/v1/bids',
          per_page: 25,
          prev_page_url: null,
          to: 1,
          total: 1,
        },
      },
    ]);
    expect(await client.bids.list().toArray()).toEqual([
      {
        public_id: 'bid_1',
        bidder_reference: null,
        amount: '465000.00',
        status: 'accepted',
        created_at: '2026-03-02 06:00:00',
      },
    ]);
  });

  it('refuses a page without the fields that walking needs', async () => {
    const { client } = dealer([{ status: 200, json: { data: [event('a')] } }], { maxAttempts: 1 });
    expect(await rejection(client.events.list().toArray())).toMatchObject({
      name: 'UnexpectedResponseError',
    });
  });
});
