import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { bank, dealer, KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const answer = (json: unknown, status = 200): Step => ({ status, json });

/** `request` as plain JavaScript calls it. */
function send(client: object, request: unknown, options?: unknown): Promise<unknown> {
  return Reflect.apply(Reflect.get(client, 'request'), client, [request, options]);
}

/** Paths that are none, or that lead elsewhere. */
const hostilePaths: readonly unknown[] = [
  ...[undefined, null, '', 7, {}, ['/events'], Symbol('/events'), new String('/events')],
  ...[
    'events',
    ' /events',
    '\ufeff/events',
    '?page=1',
    '.',
    '..',
    './events',
    '/',
    '//',
    '//events',
    '/events/',
  ],
  ...['https://q.example/events', '//q.example/events', '/\\q.example/events', '/http://q.example/events'],
  ...['@q.example/events', ':80@q.example/events', '/events//lots', '/events/..', '/./events', '/../events'],
  ...['/%2e%2e/admin', '/%252e%252e/admin', '/events/%00', '/events/a%20b', '/events/%', '/..\\admin'],
  ...['/events\0', '/events\r\nX-Evil: 1', '/ev\tents', '/events\u007f', '/events/\ud800'],
  ...['/events?page=1', '/events?', '/events#x', '/api/v1', '/api/v1/', '/api/v1/lots/lot_1/bids'],
];

/** Bids have a method of their own, whatever they look like. */
const bidPaths = ['/lots/lot_1/bids', '/lots/x/bids', '/lots/lots/bids', '/lots/a b/bids', '/lots/.../bids'];

const event = { method: 'GET', path: '/events/auc_1' };
const command = { method: 'POST', path: '/audit-events' };

describe('request()', () => {
  // rule: delivery.4, version.6
  it('sends a planned read, and resolves with its data', async () => {
    const reply = { data: [{ id: 'aud_1' }], next_cursor: 'c2', server_time: 'T' };
    const { client, transport } = bank([answer(reply)]);
    const query = { to: 'b c', from: 2, all: true, none: undefined };
    const data = await client.request({ method: 'GET', path: '/audit-events', query });
    expect(data).toEqual([{ id: 'aud_1' }]);
    const [sent] = transport.sent;
    expect(`${sent?.method} ${sent?.path}`).toBe('GET /api/v1/audit-events?all=true&from=2&to=b%20c');
    expect(sent?.headers).not.toHaveProperty('idempotency-key');
    expect(responseOf(data)).toMatchObject({ status: 200, serverTime: 'T', body: { next_cursor: 'c2' } });
  });

  it('sends a command under one key, of the SDK or the caller, and again with the same bytes', async () => {
    const { client, transport } = bank([{ fail: 'maybe' }, answer({ data: {} }), answer({}), answer({})]);
    await client.request({ ...command, method: 'POST', body: { kind: 'bids' } });
    await client.request({ method: 'POST', path: '/bank/partners', body: { idempotency_key: KEY } });
    await client.request({ method: 'POST', path: '/bank/partners' }, { idempotencyKey: KEY });
    const made = '00000000-0000-4000-8000-000000000001';
    expect(transport.sent.map(({ headers }) => headers['idempotency-key'])).toEqual([made, made, KEY, KEY]);
    const [first, second] = transport.sent;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['X-Nonce']).not.toBe(first?.headers['X-Nonce']);
    expect(JSON.parse(first?.body ?? '')).toEqual({ kind: 'bids', idempotency_key: made });
  });

  // rule: convention.2
  it('knows what is a read: A11 takes no key', async () => {
    const { client, transport } = dealer([answer({ data: [] })]);
    await client.request({ method: 'POST', path: '/lots/status-batch', body: { lot_ids: ['lot_1'] } });
    expect(transport.sent[0]?.body).toBe('{"lot_ids":["lot_1"]}');
    expect(transport.sent[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('resolves with the whole body where it has no data, and with undefined where there is no body', async () => {
    const steps = [answer({ ok: 1 }), { status: 204, text: '' }, answer([1]), answer({ data: null })];
    const { client } = bank([...steps, { status: 200, text: '<html>' }]);
    const get = () => client.request({ method: 'GET', path: '/things' });
    expect([await get(), await get(), await get(), await get()]).toEqual([{ ok: 1 }, undefined, [1], null]);
    expect(await rejection(get())).toMatchObject({ name: 'UnexpectedResponseError' });
  });

  it.each([
    ['POST', '/bank/auctions/auc_9/lots', 'A65', 'POST /bank/auctions/{auction}/lots'],
    ['GET', '/sale-cases/sal_1', 'A21', 'GET /sale-cases/{sale}'],
    ['GET', '/new/thing', 'request', 'GET /{segment1}/{segment2}'],
  ])('names the operation of %s %s in errors, and never an id', async (method, path, operation, route) => {
    const missing = answer({ message: 'x' }, 404);
    const { client } = bank([missing, missing]);
    const error = await rejection(send(client, { method, path }));
    expect(error).toMatchObject({ name: 'NotFoundError', operation, route });
  });

  it('sends nothing to a hostile path', async () => {
    const { client, transport } = bank([]);
    for (const path of hostilePaths) {
      for (const method of ['GET', 'POST', 'PATCH', 'PUT']) {
        const error = await rejection(send(client, { method, path }));
        expect([inspect(path), error]).toMatchObject([
          inspect(path),
          { name: 'InvalidRequestError', outcome: 'not_sent', issues: [{ path: 'path' }] },
        ]);
      }
    }
    expect(transport.sent).toEqual([]);
  });

  it.each(bidPaths)('makes no bid: %s', async (path) => {
    for (const { client, transport } of [dealer([]), bank([])]) {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const bodies = [undefined, {}, { amount: '465000', dealer_id: 'D-204', idempotency_key: KEY }];
        for (const body of bodies) {
          const issues = [{ path: 'path', message: expect.stringContaining('bids.submit') }];
          expect(await rejection(send(client, { method, path, body }))).toMatchObject({ issues });
        }
      }
      expect(transport.sent).toEqual([]);
    }
  });

  it.each([
    ['no request', undefined, 'request'],
    ['a path alone', '/events', 'request'],
    ['a method in small letters', { ...event, method: 'get' }, 'method'],
    ['DELETE', { ...event, method: 'DELETE' }, 'method'],
    ['a method with its own line', { ...event, method: 'GET /x HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET' }, 'method'],
    ['no method', { path: '/events' }, 'method'],
    ['another base URL', { ...event, baseUrl: 'https://evil.example/api/v1' }, 'baseUrl'],
    ['headers', { ...event, headers: { 'x-evil': '1' } }, 'headers'],
    ['a body of a GET', { ...event, body: {} }, 'body'],
    ['a query that is text', { ...event, query: 'page=1' }, 'query'],
    ['a query that is a list', { ...event, query: [['page', 1]] }, 'query'],
    ['null in a query', { ...event, query: { page: null } }, 'page'],
    ['a number that is none', { ...event, query: { page: Number.NaN } }, 'page'],
    ['a body that is text', { ...command, body: '{}' }, 'body'],
    ['a body that is a list', { ...command, body: [] }, 'body'],
    ['_method in the body', { ...command, body: { _method: 'DELETE' } }, '_method'],
    ['_method of a PATCH', { ...command, method: 'PATCH', body: { _method: 'PATCH' } }, '_method'],
    ['a bad key', { ...command, body: { idempotency_key: 'abc' } }, 'idempotency_key'],
    ['a date in the body', { ...command, body: { a: { at: new Date(0) } } }, 'a.at'],
  ])('refuses %s before anything is sent', async (_, request, path) => {
    const { client, transport } = bank([]);
    const issues = expect.arrayContaining([expect.objectContaining({ path, message: expect.any(String) })]);
    const refused = { name: 'InvalidRequestError', outcome: 'not_sent', issues };
    expect(await rejection(send(client, request))).toMatchObject(refused);
    expect(transport.sent).toEqual([]);
  });

  it('sends a field named constructor like any other, and refuses one named __proto__', async () => {
    const { client, transport } = bank([answer({}), answer({})]);
    await send(client, { ...command, body: { constructor: 'x' } });
    await send(client, { ...event, query: { constructor: 'x' } });
    expect(transport.sent[0]?.body).toContain('"constructor":"x"');
    expect(transport.sent[1]?.path).toContain('?constructor=x');
    const polluting = JSON.parse('{"__proto__":"x"}');
    for (const request of [
      { ...command, body: polluting },
      { ...event, query: polluting },
    ]) {
      expect(await rejection(send(client, request))).toMatchObject({ name: 'InvalidRequestError' });
    }
  });
});
