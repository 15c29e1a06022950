import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { neighbourhood } from '../files/strangers.js';
import { credentials, KEY, rejection, SECRET } from '../support/clients.js';

function clientOf(party: string, baseUrl: string): PartnerClient<'direct_dealer'> | BankClient {
  const options = { environment: 'sandbox', baseUrl, credentials, logLevel: 'off' } as const;
  return party === 'bank'
    ? new BankClient(options)
    : new PartnerClient({
        ...options,
        partnerType: 'direct_dealer',
        dealerId: 'D-204',
      });
}

/** `request` as plain JavaScript calls it. */
function send(client: PartnerClient<'direct_dealer'> | BankClient, request: unknown, options?: unknown) {
  const plain: { request(...args: unknown[]): Promise<unknown> } = client as never;
  return plain.request(request, options);
}

/** Paths that are none, or that lead elsewhere. `q` is a stranger's host and port. */
function hostilePaths(q: string): readonly unknown[] {
  return [
    ...[undefined, null, '', 7, {}, ['/events'], Symbol('/events'), new String('/events')],
    { toString: () => '/events' },
    new URL('https://bank.example/events'),
    'events',
    ' /events',
    '\t/events',
    '\ufeff/events',
    '?page=1',
    '#x',
    '.',
    '..',
    './events',
    '../events',
    `http://${q}/events`,
    `https://${q}/events`,
    `//${q}/events`,
    `/\\${q}/events`,
    `\\\\${q}\\events`,
    `/http://${q}/events`,
    `@${q}/events`,
    `:80@${q}/events`,
    '/',
    '//',
    '//events',
    '/events/',
    '/events//lots',
    '/events/.',
    '/events/..',
    '/./events',
    '/../events',
    '/../../../admin',
    '/events/../../../admin',
    '/%2e%2e/admin',
    '/%2E%2E%2Fadmin',
    '/.%2e/admin',
    '/%252e%252e/admin',
    '/events/%00',
    '/events/a%20b',
    '/events/%',
    '/..\\admin',
    '/events\\lots',
    '/events\0',
    '/events\n',
    '/events\r\nX-Evil: 1',
    '/events HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    '/ev\tents',
    '/events\u007f',
    '/events\u0085',
    '/events/\ud800',
    '/events?page=1',
    '/events?',
    '/events#x',
    '/events#',
    '/api/v1',
    '/api/v1/',
    '/api/v1/events',
    '/api/v1/lots/lot_1/bids',
  ];
}

const bidPaths = ['/lots/lot_1/bids', '/lots/x/bids', '/lots/lots/bids', '/lots/a b/bids', '/lots/.../bids'];

describe('client.request', () => {
  it.each(['partner', 'bank'])('of a %s sends nothing to a hostile path', async (party) => {
    await using place = await neighbourhood((_, res) => res.end('{}'));
    await using client = clientOf(party, place.baseUrl);
    const wrong: string[] = [];
    for (const path of hostilePaths(place.strangers[0]?.authority ?? '')) {
      for (const method of ['GET', 'POST', 'PATCH', 'PUT']) {
        const error = await send(client, { method, path }).catch((failure: unknown) => failure);
        const refused = expect.objectContaining({
          name: 'InvalidRequestError',
          outcome: 'not_sent',
          issues: [{ path: 'path', message: expect.stringMatching(/^must /) }],
        });
        if (!refused.asymmetricMatch(error)) wrong.push(`${method} ${inspect(path)}: ${inspect(error)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(place.connections.count).toBe(0);
    expect(await place.overheard()).toEqual([]);
  });

  it('makes no bid: those have a method of their own', async () => {
    await using place = await neighbourhood((_, res) => res.end('{}'));
    for (const party of ['partner', 'bank']) {
      await using client = clientOf(party, place.baseUrl);
      for (const path of bidPaths) {
        for (const body of [undefined, {}, { amount: '465000', dealer_id: 'D-204', idempotency_key: KEY }]) {
          const error = await rejection(send(client, { method: 'POST', path, ...(body && { body }) }));
          expect([path, error]).toMatchObject([
            path,
            {
              name: 'InvalidRequestError',
              outcome: 'not_sent',
              issues: [{ path: 'path', message: expect.stringContaining('bids.submit') }],
            },
          ]);
        }
      }
    }
    expect(place.connections.count).toBe(0);
  });

  const event = { method: 'GET', path: '/events/auc_1' };
  const command = { method: 'POST', path: '/audit-events' };
  it.each([
    ['no request', undefined, 'request'],
    ['a path alone', '/events', 'request'],
    ['a method in small letters', { ...event, method: 'get' }, 'method'],
    ['DELETE', { ...event, method: 'DELETE' }, 'method'],
    ['HEAD', { ...event, method: 'HEAD' }, 'method'],
    ['CONNECT', { ...event, method: 'CONNECT' }, 'method'],
    ['two methods', { ...event, method: ['GET'] }, 'method'],
    [
      'a method with a line of its own',
      { ...event, method: 'GET /x HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET' },
      'method',
    ],
    ['no method', { path: '/events' }, 'method'],
    ['a URL', { ...event, url: 'https://evil.example' }, 'url'],
    ['another base URL', { ...event, baseUrl: 'https://evil.example/api/v1' }, 'baseUrl'],
    ['another origin', { ...event, origin: 'https://evil.example' }, 'origin'],
    ['headers', { ...event, headers: { 'x-evil': '1' } }, 'headers'],
    ['a body of a GET', { ...event, body: {} }, 'body'],
    ['a query that is text', { ...event, query: 'page=1' }, 'query'],
    ['a query that is a list', { ...event, query: [['page', 1]] }, 'query'],
    ['a list in a query', { ...event, query: { page: [1, 2] } }, 'page'],
    ['an object in a query', { ...event, query: { filter: { a: 1 } } }, 'filter'],
    ['null in a query', { ...event, query: { page: null } }, 'page'],
    ['a number that is none', { ...event, query: { page: Number.NaN } }, 'page'],
    ['a symbol in a query', { ...event, query: { page: Symbol('1') } }, 'page'],
    ['a body that is text', { ...command, body: '{}' }, 'body'],
    ['a body that is a list', { ...command, body: [] }, 'body'],
    ['_method in the body', { ...command, body: { _method: 'DELETE' } }, '_method'],
    [
      '_method of a PATCH in the body',
      { ...command, method: 'PATCH', body: { _method: 'PATCH' } },
      '_method',
    ],
    ['a bad key', { ...command, body: { idempotency_key: 'abc' } }, 'idempotency_key'],
    ['a function in the body', { ...command, body: { note: () => 1 } }, 'note'],
    ['a number that JSON lacks', { ...command, body: { note: [Number.NaN] } }, 'note.0'],
  ])('refuses %s', async (_, request, path) => {
    await using place = await neighbourhood((_, res) => res.end('{}'));
    await using client = clientOf('partner', place.baseUrl);
    expect(await rejection(send(client, request))).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      issues: expect.arrayContaining([{ path, message: expect.any(String) }]),
    });
    expect(place.connections.count).toBe(0);
  });

  it.each(['__proto__', 'constructor'])(
    'sends a field called %s like any other, or nothing',
    async (name) => {
      const bodies: string[] = [];
      await using place = await neighbourhood((req, res) => {
        req.on('data', (chunk: Buffer) => bodies.push(String(chunk)));
        req.on('end', () => res.end('{}'));
      });
      await using client = clientOf('partner', place.baseUrl);
      const body = Object.defineProperty({}, name, { value: 'x', enumerable: true });
      const end = await send(client, { ...command, body }).catch((error: unknown) => Object(error).name);
      if (end === 'InvalidRequestError') expect(place.requests).toEqual([]);
      else expect(bodies).toEqual([expect.stringContaining(`"${name}":"x"`)]);
    },
  );

  it.each(['__proto__', 'constructor'])(
    'sends a parameter called %s like any other, or nothing',
    async (name) => {
      await using place = await neighbourhood((_, res) => res.end('{}'));
      await using client = clientOf('partner', place.baseUrl);
      const query = Object.defineProperty({}, name, { value: 'x', enumerable: true });
      const end = await send(client, { ...event, query }).catch((error: unknown) => Object(error).name);
      const lines = place.requests.map(({ line }) => line);
      expect(lines).toEqual(end === 'InvalidRequestError' ? [] : [`GET /api/v1/events/auc_1?${name}=x`]);
    },
  );

  it.each([
    ['GET', '/audit-events', { page: 2, from: 'a b&c=d', deep: true, none: undefined }, undefined],
    ['GET', "/a b/ü/~/a:b/@/+/a;b/.../(x)'*!", {}, undefined],
    ['POST', '/disputes/dis_1/...x', {}, { note: 'ü', list: [1, { a: null }] }],
    ['PATCH', '/webhook-subscriptions/sub_1', {}, { name: 'Wins' }],
    ['PUT', '/bank/auctions/auc_1/assignments', { dry: 1 }, { partners: [] }],
    ['POST', '/lots/lot_1/bids/extra', {}, {}],
    ['GET', '/lots/lot_1/bids', {}, undefined],
  ])('signs and sends %s %s as it stands', async (method, path, query, body) => {
    const bodies: string[] = [];
    await using place = await neighbourhood((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        bodies.push(String(Buffer.concat(chunks)));
        res.end('{"data":{"id":"x_1"}}');
      });
    });
    const prefixed = place.baseUrl.replace('/api', '/index.php/api');
    for (const [baseUrl, prefix] of [
      [place.baseUrl, ''],
      [prefixed, '/index.php'],
    ] as const) {
      await using client = clientOf('bank', baseUrl);
      expect(
        await send(client, { method, path, query, body }, method === 'GET' ? {} : { idempotencyKey: KEY }),
      ).toEqual({
        id: 'x_1',
      });
      const { line = '', headers = {} } = place.requests.at(-1) ?? {};
      const [wireMethod, target = ''] = line.split(' ');
      expect(wireMethod).toBe(method === 'GET' ? 'GET' : 'POST');
      expect(target.startsWith(`${prefix}/api/v1/`)).toBe(true);
      const [signedPath = '', signedQuery = ''] = target.slice(prefix.length).split('?');
      expect(signedPath.split('/').map(decodeURIComponent).join('/')).toBe(`/api/v1${path}`);
      expect(Object.fromEntries(new URLSearchParams(signedQuery))).toEqual(
        Object.fromEntries(
          Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]])),
        ),
      );
      const text = bodies.at(-1) ?? '';
      const tunnel = method === 'PATCH' || method === 'PUT' ? { _method: method } : {};
      if (method !== 'GET') expect(JSON.parse(text)).toEqual({ ...body, idempotency_key: KEY, ...tunnel });
      else expect(text).toBe('');
      const digest = createHash('sha256').update(text).digest('hex');
      const { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature } = headers;
      const lines = [method, signedPath, signedQuery, timestamp, nonce, digest].join('\n');
      expect(signature).toBe(createHmac('sha256', SECRET).update(lines).digest('hex'));
    }
  });
});
