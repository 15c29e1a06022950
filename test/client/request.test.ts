import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { bank, dealer, KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const answer = (json: unknown, status = 200): Step => ({ status, json });

describe('request()', () => {
  // rule: delivery.4, version.6
  it('signs and sends a planned operation, and resolves with its data', async () => {
    const { client, transport } = bank([
      answer({ data: [{ id: 'aud_1' }], next_cursor: 'c2', server_time: 'T' }),
    ]);
    const data = await client.request({
      method: 'GET',
      path: '/audit-events',
      query: { to: 'b c', from: 2, all: true },
    });
    expect(data).toEqual([{ id: 'aud_1' }]);
    const [sent] = transport.sent;
    expect(`${sent?.method} ${sent?.path}`).toBe('GET /api/v1/audit-events?all=true&from=2&to=b%20c');
    expect(sent?.headers).not.toHaveProperty('idempotency-key');
    expect(responseOf(data)).toMatchObject({ status: 200, serverTime: 'T', body: { next_cursor: 'c2' } });
  });

  it('sends a command under an idempotency key, in body and header', async () => {
    const { client, transport } = bank([answer({ data: { id: 'x' }, request_id: 'req_1' }, 201)]);
    await client.request({
      method: 'POST',
      path: '/bank/auctions',
      body: { name: 'Spring', lots: [1, { a: null }] },
    });
    const [sent] = transport.sent;
    const key = sent?.headers['idempotency-key'];
    expect(key).toBe('00000000-0000-4000-8000-000000000001');
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      name: 'Spring',
      lots: [1, { a: null }],
      idempotency_key: key,
    });
    expect(sent?.headers['X-Content-SHA256']).toBe(
      createHash('sha256')
        .update(sent?.body ?? '')
        .digest('hex'),
    );
  });

  it('takes a key of the caller, from the body or the options', async () => {
    const { client, transport } = bank([answer({}), answer({})]);
    await client.request({ method: 'POST', path: '/bank/partners', body: { idempotency_key: KEY } });
    await client.request({ method: 'POST', path: '/bank/partners' }, { idempotencyKey: KEY });
    expect(transport.sent.map(({ headers }) => headers['idempotency-key'])).toEqual([KEY, KEY]);
  });

  // rule: convention.4
  it('tunnels PATCH and PUT', async () => {
    const { client, transport } = bank([answer({ data: {} })]);
    await client.request({
      method: 'PUT',
      path: '/bank/auctions/auc_1/assignments',
      body: { partner_id: 'p' },
    });
    const [sent] = transport.sent;
    expect(sent?.method).toBe('POST');
    expect(sent?.body).toMatch(/"_method":"PUT"\}$/);
  });

  // rule: convention.2
  it('knows what is a read: A11 takes no key', async () => {
    const { client, transport } = dealer([answer({ data: [] })]);
    await client.request({ method: 'POST', path: '/lots/status-batch', body: { lot_ids: ['lot_1'] } });
    expect(transport.sent[0]?.body).toBe('{"lot_ids":["lot_1"]}');
    expect(transport.sent[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('resolves with the whole body where it has no data, and with undefined where there is no body', async () => {
    const { client } = bank([
      answer({ ok: 1 }),
      { status: 204, text: '' },
      answer([1]),
      answer({ data: null }),
    ]);
    const get = () => client.request({ method: 'GET', path: '/things' });
    expect([await get(), await get(), await get(), await get()]).toEqual([{ ok: 1 }, undefined, [1], null]);
  });

  it('names the operation in errors where the path is one that is known, and never an id', async () => {
    const { client } = bank([
      answer({ message: 'x' }, 404),
      answer({ message: 'x' }, 404),
      answer({ message: 'x' }, 404),
    ]);
    expect(
      await rejection(client.request({ method: 'POST', path: '/bank/auctions/auc_9/lots' })),
    ).toMatchObject({
      name: 'NotFoundError',
      operation: 'A65',
      route: 'POST /bank/auctions/{auction}/lots',
      outcome: 'refused',
    });
    expect(await rejection(client.request({ method: 'GET', path: '/sale-cases/sal_1' }))).toMatchObject({
      operation: 'A21',
      route: 'GET /sale-cases/{sale}',
    });
    expect(await rejection(client.request({ method: 'GET', path: '/new/thing' }))).toMatchObject({
      operation: 'request',
      route: 'GET /{segment1}/{segment2}',
    });
  });

  it('retries with identical bytes, like every call', async () => {
    const { client, transport } = bank([{ fail: 'maybe' }, answer({ data: { id: 'x' } })]);
    await client.request({ method: 'POST', path: '/report-exports', body: { kind: 'bids' } });
    const [first, second] = transport.sent;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['X-Nonce']).not.toBe(first?.headers['X-Nonce']);
  });

  it('refuses replies that are no JSON', async () => {
    const { client } = bank([{ status: 200, text: '<html>' }]);
    expect(await rejection(client.request({ method: 'GET', path: '/things' }))).toMatchObject({
      name: 'UnexpectedResponseError',
    });
  });

  const wrong: readonly [name: string, request: unknown, says: RegExp][] = [
    [
      'a bid',
      { method: 'POST', path: '/lots/lot_1/bids', body: {} },
      /path is that of a bid: call bids\.submit/,
    ],
    ['a bid in disguise', { method: 'PUT', path: '/lots/lot_1/bids', body: {} }, /path is that of a bid/],
    ['another method', { method: 'DELETE', path: '/x' }, /method must be one of GET, POST, PATCH, PUT/],
    ['a body on a GET', { method: 'GET', path: '/x', body: {} }, /body must be left out/],
    ['a query in the path', { method: 'GET', path: '/x?a=1' }, /path must hold no query/],
    ['the prefix', { method: 'GET', path: '/api/v1/events' }, /path must be what follows \/api\/v1/],
    ['a relative path', { method: 'GET', path: 'events' }, /path must begin with "\/"/],
    [
      'an absolute URL',
      { method: 'GET', path: 'https://bank.example/api/v1/events' },
      /must begin with "\/"/,
    ],
    ['no path', { method: 'GET' }, /path must begin/],
    ['a climbing path', { method: 'GET', path: '/events/../bids' }, /plain segments/],
    ['an encoded path', { method: 'GET', path: '/events/%2e%2e' }, /plain segments/],
    ['an empty segment', { method: 'GET', path: '//evil' }, /plain segments/],
    ['an unknown field', { method: 'GET', path: '/x', headers: {} }, /headers is not a field here/],
    [
      'a nested query',
      { method: 'GET', path: '/x', query: { a: {} } },
      /a must be a string, a number or a boolean/,
    ],
    ['an infinite query', { method: 'GET', path: '/x', query: { a: Infinity } }, /a must be a string/],
    ['its own _method', { method: 'POST', path: '/x', body: { _method: 'PUT' } }, /_method must be left out/],
    [
      'a bad key',
      { method: 'POST', path: '/x', body: { idempotency_key: 'k' } },
      /idempotency_key must be a UUID/,
    ],
    [
      'what JSON drops',
      { method: 'POST', path: '/x', body: { f: () => 1 } },
      /f must be JSON, which has no function/,
    ],
    ['a date', { method: 'POST', path: '/x', body: { a: { at: new Date(0) } } }, /a\.at must be JSON/],
    ['a bigint', { method: 'POST', path: '/x', body: { a: [1n] } }, /a\.0 must be JSON, which has no bigint/],
    ['nothing', undefined, /request must be an object/],
  ];
  it.each(wrong)('refuses %s before anything is sent', async (_, request, says) => {
    const { client, transport } = bank([]);
    const error = await rejection(client.request(request as Parameters<typeof client.request>[0]));
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(String(error)).toMatch(says);
    expect(transport.sent).toEqual([]);
  });
});
