import { describe, expect, it } from 'vitest';
import { dealer, rejection } from '../support/clients.js';

const event = (id: string) => ({ id, status: 'live', bid_increment: '5000.00', revision: 1 });
const page = (ids: readonly string[], current_page: number, last_page: number) => ({
  status: 200,
  json: { data: ids.map(event), current_page, last_page, total: 99 },
});

describe('a pager', () => {
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
      reason: 'paging',
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

  it('refuses a page without the fields that walking needs', async () => {
    const { client } = dealer([{ status: 200, json: { data: [event('a')] } }], { maxAttempts: 1 });
    expect(await rejection(client.events.list().toArray())).toMatchObject({
      name: 'UnexpectedResponseError',
    });
  });
});
