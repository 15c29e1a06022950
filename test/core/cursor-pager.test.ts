import { describe, expect, it } from 'vitest';
import { dealer, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const page = (items: readonly string[], next_cursor?: unknown): Step => ({
  status: 200,
  json: { data: items.map((id) => ({ id })), next_cursor, server_time: 'T' },
});

async function ids(updates: AsyncIterable<{ readonly [field: string]: unknown }>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const update of updates) found.push(update['id']);
  return found;
}

describe('a list along a cursor', () => {
  it('ends where the cursor that was asked for comes back: nothing is newer', async () => {
    const { client, transport } = dealer([page(['a'], 'c1'), page([], 'c1')]);
    expect(await ids(client.winnerUpdates.list())).toEqual(['a']);
    expect(transport.sent).toHaveLength(2);
    const resumed = dealer([page([], 'c9')]);
    expect(await ids(resumed.client.winnerUpdates.list({ after: 'c9' }))).toEqual([]);
  });

  // rule: winner.cursor
  it('never goes in circles', async () => {
    const { client, transport } = dealer([
      page(['a'], 'c1'),
      page(['b'], 'c2'),
      page(['a'], 'c1'),
      page(['b'], 'c2'),
    ]);
    const error = await rejection(ids(client.winnerUpdates.list()));
    const expected = { name: 'UnexpectedResponseError', reason: 'paging', operation: 'winnerUpdates.list' };
    expect(error).toMatchObject(expected);
    expect(transport.sent).toHaveLength(3);
  });

  it('reads no further than it is walked', async () => {
    const { client, transport } = dealer([page(['a', 'b'], 'c1'), page(['c'])]);
    expect(await client.winnerUpdates.list().toArray({ limit: 2 })).toHaveLength(2);
    expect((await client.winnerUpdates.list().firstPage()).items).toEqual([{ id: 'c' }]);
    expect(transport.sent).toHaveLength(2);
  });

  const unclear: readonly [name: string, json: object][] = [
    ['no list', { next_cursor: 'n' }],
    ['data that is no list', { data: 'x', next_cursor: 'n' }],
    ['two lists', { updates: [], errors: [], next_cursor: 'n' }],
    ['a cursor that is no text', { data: [], next_cursor: 7 }],
    ['a cursor that is an object', { data: [], next_cursor: {} }],
  ];
  it.each(unclear)('is refused with %s, rather than taken for empty', async (_, json) => {
    const { client } = dealer([{ status: 200, json }]);
    expect(await rejection(client.winnerUpdates.list().firstPage())).toMatchObject({
      name: 'UnexpectedResponseError',
    });
  });

  it('takes an empty cursor for none', async () => {
    const { client } = dealer([page(['a'], '')]);
    expect(await ids(client.winnerUpdates.list())).toEqual(['a']);
  });

  it('keeps every field of an update, whatever its name', async () => {
    const { client } = dealer([
      { status: 200, text: '{"data":[{"__proto__":{"x":1},"constructor":2}],"next_cursor":null}' },
    ]);
    const [update] = await client.winnerUpdates.list().toArray();
    expect(Object.getOwnPropertyNames(update)).toEqual(['__proto__', 'constructor']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
