import { describe, expect, it } from 'vitest';
import { dealer, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const circles = { name: 'UnexpectedResponseError', reason: 'paging' };

// Walking is in test/wire/walks.test.ts.
describe('a list by page', () => {
  const event = (id: string) => ({ id, status: 'live', bid_increment: '5000.00', revision: 1 });
  const page = (ids: readonly string[], current_page: number, last_page: number): Step => ({
    status: 200,
    json: { data: ids.map(event), current_page, last_page, total: 99 },
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

  it('never loops on a repeated page, and refuses one without the fields that walking needs', async () => {
    const { client } = dealer([page(['a'], 1, 3), page(['a'], 1, 3)]);
    expect(await rejection(client.events.list().toArray())).toMatchObject(circles);
    const bare = dealer([{ status: 200, json: { data: [event('a')] } }], { maxAttempts: 1 });
    const error = await rejection(bare.client.events.list().toArray());
    expect(error).toMatchObject({ name: 'UnexpectedResponseError' });
  });

  it('begins with the page that is asked for, or not at all', async () => {
    const ignored = dealer([page(['a'], 1, 3), page(['b'], 2, 3), page(['c'], 3, 3)]);
    expect(await rejection(ignored.client.events.list({ page: 3 }).toArray())).toMatchObject(circles);
    expect(ignored.transport.sent).toHaveLength(1);
    const shorter = dealer([page(['b'], 2, 2)]);
    expect(await shorter.client.events.list({ page: 9 }).toArray()).toEqual([]);
    const last = dealer([page(['c'], 3, 3)]);
    expect(await last.client.events.list({ page: 3 }).toArray()).toHaveLength(1);
  });

  it.each<[name: string, page: (number: number) => Step]>([
    ['serves the same items for every page', (number) => page(['a', 'b'], number, 99)],
    ['has empty pages before its last', (number) => page(number === 1 ? ['a'] : [], number, 99)],
  ])('ends with an error, and not with the quota, where the service %s', async (_, served) => {
    const { client, transport } = dealer(Array.from({ length: 99 }, (__, index) => served(index + 1)));
    expect(await rejection(client.events.list().toArray())).toMatchObject(circles);
    expect(transport.sent).toHaveLength(6);
  });

  it.each([undefined, null, '', 'two', false])(
    'goes on until nothing new comes where the number of the last page is %o',
    async (last_page) => {
      const at = (ids: readonly string[], current_page: number): Step => ({
        status: 200,
        json: { data: ids.map(event), current_page, last_page },
      });
      const ends = dealer([at(['a'], 1), at(['b'], 2), at([], 3)]);
      expect((await ends.client.events.list().toArray()).map(({ id }) => id)).toEqual(['a', 'b']);
      const ignores = dealer([at(['a', 'b'], 1), at(['a', 'b'], 1)]);
      expect(await ignores.client.events.list().toArray()).toHaveLength(2);
      const repeats = dealer([at(['a', 'b'], 1), at(['a', 'b'], 2)]);
      expect(await repeats.client.events.list().toArray()).toHaveLength(2);
    },
  );

  it.each([undefined, null, 0, 'first'])(
    'reads all pages where the number of each page is %o',
    async (current_page) => {
      const at = (id: string): Step => ({
        status: 200,
        json: { data: [event(id)], current_page, last_page: 2, total: 2 },
      });
      const { client, transport } = dealer([at('a'), at('b')]);
      expect((await client.events.list().toArray()).map(({ id }) => id)).toEqual(['a', 'b']);
      expect(transport.sent.map(({ path }) => path)).toEqual(['/api/v1/events', '/api/v1/events?page=2']);
    },
  );

  it('reads on after some pages without news, and ends quietly at the last page', async () => {
    const repeats = [['a'], ['a'], ['a'], ['a'], ['a'], ['b'], ['b'], ['b'], ['b'], ['b'], ['b']];
    const steps = repeats.map((ids, index) => page(ids, index + 1, repeats.length));
    expect(await dealer(steps).client.events.list().toArray()).toHaveLength(repeats.length);
  });

  it('starts at the page of the query, and does not see a filter that is changed behind its back', async () => {
    const { client, transport } = dealer([page(['c'], 3, 4), page(['d'], 4, 4)]);
    const query: { page: number; status: 'all' | 'over' } = { page: 3, status: 'all' };
    for await (const _ of client.events.list(query)) Object.assign(query, { page: 7, status: 'over' });
    const asked = transport.sent.map(({ path }) => path);
    expect(asked).toEqual(['/api/v1/events?page=3&status=all', '/api/v1/events?page=4&status=all']);
  });
});

describe('a list along a cursor', () => {
  const page = (items: readonly string[], next_cursor?: unknown): Step => ({
    status: 200,
    json: { data: items.map((id) => ({ id })), next_cursor, server_time: 'T' },
  });
  const ids = async (steps: readonly Step[], query: { after?: string } = {}) => {
    const { client, transport } = dealer(steps);
    const found = await client.winnerUpdates.list(query).toArray();
    return { ids: found.map((update) => update['id']), requests: transport.sent.length };
  };

  it('ends where the cursor that was asked for comes back: nothing is newer', async () => {
    expect(await ids([page(['a'], 'c1'), page([], 'c1')])).toEqual({ ids: ['a'], requests: 2 });
    expect(await ids([page([], 'c9')], { after: 'c9' })).toEqual({ ids: [], requests: 1 });
  });

  it('ends at false, which PHP writes for no cursor', async () => {
    expect(await ids([page(['a'], false)])).toEqual({ ids: ['a'], requests: 1 });
  });

  it.each([
    [{ data: { data: [{ id: 'a' }], links: [], next_cursor: 'c' } }],
    [{ data: { items: [{ id: 'a' }], links: [], meta: { next_cursor: 'c' } } }],
  ])('finds the items and the cursor of %o', async (json) => {
    const { client } = dealer([{ status: 200, json }]);
    const first = await client.winnerUpdates.list().firstPage();
    expect(first).toMatchObject({ items: [{ id: 'a' }], nextCursor: 'c' });
  });

  it('ends at an empty cursor', async () => {
    expect(await ids([page(['a'], '')])).toEqual({ ids: ['a'], requests: 1 });
  });

  // rule: winner.cursor
  it('never goes in circles', async () => {
    const steps = ['c1', 'c2', 'c1', 'c2'].map((cursor) => page(['a'], cursor));
    const { client, transport } = dealer(steps);
    const error = await rejection(client.winnerUpdates.list().toArray());
    expect(error).toMatchObject({ ...circles, operation: 'winnerUpdates.list' });
    expect(transport.sent).toHaveLength(3);
  });

  it.each([
    ['the same update', 'a'],
    ['no update', undefined],
  ])('ends with an error where each cursor leads to %s', async (_, id) => {
    const steps = Array.from({ length: 99 }, (__, index) => page(id === undefined ? [] : [id], `c${index}`));
    const { client, transport } = dealer(steps);
    expect(await rejection(client.winnerUpdates.list().toArray())).toMatchObject(circles);
    expect(transport.sent.length).toBeLessThanOrEqual(6);
  });

  it.each<[name: string, json: object]>([
    ['no list', { next_cursor: 'n' }],
    ['data that is no list', { data: 'x', next_cursor: 'n' }],
    ['two lists', { updates: [], errors: [], next_cursor: 'n' }],
    ['a cursor that is no whole number', { data: [], next_cursor: 7.5 }],
    ['a cursor that is an object', { data: [], next_cursor: {} }],
  ])('is refused with %s, rather than taken for empty', async (_, json) => {
    const error = await rejection(ids([{ status: 200, json }]));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError' });
  });

  it('keeps every field of an update, whatever its name', async () => {
    const text = '{"data":[{"__proto__":{"x":1},"constructor":2}],"next_cursor":null}';
    const [update] = await dealer([{ status: 200, text }])
      .client.winnerUpdates.list()
      .toArray();
    expect(Object.getOwnPropertyNames(update)).toEqual(['__proto__', 'constructor']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
