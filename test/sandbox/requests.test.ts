import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.js';
import { bid, dealer, freshSandbox, get, lotOf, profile, restart, sandbox, send, signed } from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';
import { storyOf } from './story.js';

freshSandbox();
// Whatever came, the service goes on.
afterEach(async () => expect((await get(sandbox, dealer(), profile)).status).toBe(200));

const batch = '/api/v1/lots/status-batch';
const post = (body: unknown) => send(sandbox, dealer(), { path: batch, body });
const hintOf = ({ headers }: { headers: Headers }) => headers.get('x-sandbox-hint');

describe('a path', () => {
  // rule: error-shape.3, version.1, version.6
  test.each([
    'GET /api/v1/nothing',
    'GET /api/v1/',
    'GET /api/v1',
    'GET /',
    'GET /api/v2/events',
    'GET /api/v1/events/',
    'GET /api/v1//events',
    'GET /api/v1/events/%',
    'GET /api/v1/events/%FF',
    'GET /api/v1/events/a%2Fb',
    'GET /api/v1/changes',
    'POST /api/v1/events',
    'GET /api/v1/lots/status-batch',
    'DELETE /api/v1/bids/bid_1',
    'GET /index.php/api/v1/events',
  ])('that is none is a 404 with a message: %s', async (line) => {
    const [method = '', path = ''] = line.split(' ');
    const { status, json } = await send(sandbox, dealer(), { method, path });
    expect([status, Object.keys(json)]).toEqual([404, ['message']]);
  });

  test('that is none is told to signed requests only, and counts against the rate limit', async () => {
    await restart({ rateLimit: 3 });
    const path = '/api/v1/no-such-thing';
    const statuses = [(await sandbox.fetch(`${sandbox.baseUrl}/no-such-thing`)).status];
    statuses.push((await send(sandbox, dealer(), { path, sign: { secret: 'x' } })).status);
    for (const each of [path, path, profile]) statuses.push((await get(sandbox, dealer(), each)).status);
    expect(statuses).toEqual([401, 401, 404, 404, 429]);
    sandbox.clock.advance(60_000);
  });

  test('with an escaped id is signed as it is sent', async () => {
    const { id } = sandbox.auctions.get('live-open');
    const path = `/api/v1/events/${id.replace('_', '%5F')}`;
    expect((await get(sandbox, dealer(), path)).json.data.id).toBe(id);
    const plain = await send(sandbox, dealer(), { path, sign: { path: `/api/v1/events/${id}` } });
    expect(plain.json.code).toBe('INVALID_SIGNATURE');
  });

  // rule: canonical.lines
  test('has its prefix on the wire and not in what is signed', async () => {
    await restart({ prefix: '/front/index.php' });
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/front\/index\.php\/api\/v1$/);
    expect((await get(sandbox, dealer(), '/api/v1/bids')).json.path).toBe(`${sandbox.baseUrl}/bids`);
    expect(sandbox.attempts().at(-1)?.path).toBe('/front/index.php/api/v1/bids');
    const { headers } = signed(sandbox, dealer(), { path: profile });
    const bare = new URL(profile, sandbox.baseUrl);
    expect((await sandbox.fetch(new Request(bare, { headers }))).status).toBe(404);
    await expect(startSandbox({ prefix: 'index.php/' })).rejects.toThrow(RangeError);
  });

  /** Some versions of Node refuse raw bytes by themselves. */
  const nodesOwn = [400, 401];
  test.each<[string, string, number[]]>([
    ['dots', '/api/v1/../v1/events', [401]],
    ['escaped dots', '/api/v1/events/%2e%2e', [401]],
    ['an absolute form', 'http://elsewhere/api/v1/events', [404]],
    ['an asterisk', '*', [404]],
    ['a backslash', '/api/v1\\events', [404]],
    ['a great length', `/api/v1/${'a/'.repeat(3_000)}`, [401]],
    ['raw bytes', '/api/v1/events/\u00e9', nodesOwn],
    ['a raw byte in the query', '/api/v1/events?search=\u00e9', nodesOwn],
    ['a NUL escape', '/api/v1/events/%00', [401]],
    ['a long query', `/api/v1/events?${'a=1&'.repeat(2_000)}`, [401]],
  ])('with %s is refused in order', async (_, target, statuses) => {
    const request = rawRequest(sandbox, dealer(), { path: profile, headers: { 'X-Signature': '00' } });
    const bytes = request.toString('latin1').replace(profile, target);
    const reply = await rawExchange(sandbox, Buffer.from(bytes, 'latin1'));
    expect(statuses).toContain(statusOf(reply));
    expect(reply).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
  });

  test('of A73 is two operations, picked by the fixed parameter met once', async () => {
    const call = async (query: string) => {
      await get(sandbox, dealer(), '/api/v1/documents/doc_1', query);
      return sandbox.attempts().at(-1)?.call;
    };
    for (const query of ['download=1', 'a=2&download=1']) {
      expect([query, await call(query)]).toEqual([query, 'documents.download']);
    }
    for (const value of ['', '0', '01', 'true', '1&download=1', '0&download=1']) {
      expect([value, await call(`download=${value}`)]).toEqual([value, 'documents.get']);
    }
  });
});

describe('a body', () => {
  test.each([
    ['broken JSON', '{"lot_ids": ['],
    ['a number', '1'],
    ['a string', '"x"'],
    ['true', 'true'],
    ['spaces', '   '],
    ['deep nesting', '['.repeat(49_000) + ']'.repeat(49_000)],
    ['deep nesting inside', `{"lot_ids":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
    ['lone surrogates', '{"lot_ids":{"\\ud800":"\\udfff"}}'],
    ['prototype keys', '{"__proto__":{"lot_ids":["x"]},"constructor":{"prototype":{"polluted":1}}}'],
    ['thousands of keys', JSON.stringify({ ...Array.from({ length: 7_000 }) })],
  ])('of %s is a 422 without a stack trace', async (_, body) => {
    const reply = await post(body);
    expect([reply.status, Object.keys(reply.json).sort()]).toEqual([422, ['errors', 'message']]);
    expect(reply.text).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\//);
    expect('polluted' in {}).toBe(false);
  });

  // rule: canonical.bytes
  test('that isn’t UTF-8 is signed as bytes and refused as JSON; a lone surrogate is not found', async () => {
    const sent = (encoding: BufferEncoding) => {
      const body = Buffer.from('{"lot_ids":["\u00ff"]}', encoding);
      return rawExchange(sandbox, rawRequest(sandbox, dealer(), { path: batch, body }));
    };
    const latin1 = await sent('latin1');
    expect([statusOf(latin1), Object.keys(JSON.parse(bodyOf(latin1)).errors)]).toEqual([422, ['body']]);
    expect(statusOf(await sent('utf8'))).toBe(200);
    const { json } = await post('{"lot_ids":["\\ud800"]}');
    expect(json.data).toEqual([{ lot_id: '\ud800', status: 404, code: 'NOT_FOUND' }]);
  });

  test('over the limit is a 413, by its length and by what comes', async () => {
    await restart({ maxBodyBytes: 100_000 });
    const body = `{"lot_ids":["${'x'.repeat(100_000 - 16)}"]}`;
    expect((await post(body)).status).toBe(200);
    const inProcess = await post(`${body} `);
    const reply = await rawExchange(
      sandbox,
      rawRequest(sandbox, dealer(), { path: batch, body: `${body} ` }),
    );
    expect([inProcess.status, Object.keys(inProcess.json)]).toEqual([413, ['message']]);
    expect([statusOf(reply), Object.keys(JSON.parse(bodyOf(reply)))]).toEqual([413, ['message']]);
    const { clientId } = dealer();
    expect(sandbox.attempts().at(-1)).toMatchObject({ status: 413, bodySha256: null, clientId });
  });

  /** Opens a connection, and resolves once these bytes are sent. */
  const begin = (bytes: Buffer) =>
    new Promise<{ socket: Socket; reply: Promise<string> }>((resolve) => {
      const { hostname, port } = new URL(sandbox.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      const reply = new Promise<string>((answered) => {
        socket.on('data', (chunk) => answered(chunk.toString('latin1')));
        socket.on('close', () => answered(''));
      });
      socket.write(bytes, () => resolve({ socket, reply }));
    });

  test('that breaks off leaves no trace', async () => {
    const whole = rawRequest(sandbox, dealer(), { path: batch, body: { lot_ids: ['x'] } });
    const { socket, reply } = await begin(whole.subarray(0, -5));
    socket.end();
    await reply;
    expect(sandbox.attempts()).toEqual([]);
  });

  test('waits within a total of bytes; beyond it is a 429, and the others go on', async () => {
    const most = 16 * 1_048_576;
    await restart({ maxBodyBytes: most });
    const head = `POST /api/v1/lots/x/bids HTTP/1.1\r\nHost: x\r\nContent-Length: ${most}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(most - 1, 32)]);
    // So many that the server holds too much, however much of them is still in the buffers of the system.
    const open = await Promise.all(Array.from({ length: 12 }, () => begin(bytes)));
    for (const { socket } of open) socket.write(' ');
    const statuses = (await Promise.all(open.map(({ reply }) => reply))).map(statusOf);
    for (const { socket } of open) socket.destroy();
    expect(statuses).toEqual(expect.arrayContaining([429, 401]));
    // What was held is free again.
    const body = { lot_ids: ['x'.repeat(most / 2)] };
    expect(statusOf(await rawExchange(sandbox, rawRequest(sandbox, dealer(), { path: batch, body })))).toBe(
      200,
    );
  });
});

describe('headers', () => {
  const names = ['X-Client-ID', 'X-Key-ID', 'X-Timestamp', 'X-Nonce', 'X-Content-SHA256', 'X-Signature'];
  test.each(names)('%s sent twice is no header', async (name) => {
    const request = rawRequest(sandbox, dealer(), { path: '/api/v1/events' }).toString();
    const line = new RegExp(`^${name}: .*$`, 'm').exec(request)?.[0].trim() ?? '';
    const reply = await rawExchange(sandbox, request.replace('Host: sandbox', `Host: sandbox\r\n${line}`));
    expect([statusOf(reply), JSON.parse(bodyOf(reply)).success]).toEqual([401, false]);
  });

  test('that are missing are named by the hint', async () => {
    const unsigned = await sandbox.fetch(`${sandbox.baseUrl}/integration/profile`);
    expect([unsigned.status, await unsigned.json()]).toMatchObject([401, { code: 'API_CLIENT_NOT_ACTIVE' }]);
    for (const name of names) expect(hintOf(unsigned)).toContain(name);
  });

  test('Date and server_time come from the sandbox clock', async () => {
    await restart({ startAt: '2026-03-01T10:00:00.250Z' });
    const first = await get(sandbox, dealer(), profile);
    expect(first.headers.get('date')).toBe('Sun, 01 Mar 2026 10:00:00 GMT');
    expect(first.json.server_time).toBe('2026-03-01T10:00:00.250Z');
    sandbox.clock.advance(86_400_000);
    const next = await rawExchange(sandbox, rawRequest(sandbox, dealer(), { path: profile }));
    expect(next.match(/^date: .*$/gim)).toEqual(['Date: Mon, 02 Mar 2026 10:00:00 GMT\r'.trim()]);
  });
});

describe('what the API text does not list', () => {
  const odd = () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const unlisted = { note: 'x', __proto__: null, bidder_reference: null, client_bid_time: null };
    return bid(sandbox, dealer(), id, { amount: startingPrice, ...unlisted } as never);
  };
  const report = async (change: Record<string, unknown>) => {
    const story = await storyOf(sandbox, { label: 'live-closed' }, 'approve');
    return story.send('report', change);
  };

  test('is ignored in bodies, with null for optional fields, and named by the hint', async () => {
    const made = await odd();
    expect(made.status).toBe(201);
    for (const name of ['note', 'bidder_reference', 'client_bid_time']) expect(hintOf(made)).toContain(name);
    const reported = await report({ evidence_id: null, channel: 'app' });
    expect(reported.status).toBe(200);
    for (const name of ['evidence_id', 'channel']) expect(hintOf(reported)).toContain(name);
  });

  test('is no null for a required field', async () => {
    const reply = await report({ utr: null });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['utr']]);
  });

  test.each([
    ['/api/v1/events', 'page=1&sort=name'],
    [profile, 'sort=name'],
    ['/api/v1/events', 'sort=a&sort=b'],
  ])('is ignored in queries, and named by the hint: %s?%s', async (path, query) => {
    const reply = await get(sandbox, dealer(), path, query);
    expect([reply.status, hintOf(reply)]).toEqual([200, expect.stringContaining('sort')]);
  });

  test('is refused with the variant unknown-fields: refused', async () => {
    await restart({ variants: { 'unknown-fields': 'refused' } });
    const names = ['bidder_reference', 'client_bid_time', 'note'];
    const reply = await odd();
    expect([reply.status, Object.keys(reply.json.errors).sort()]).toEqual([422, names]);
    const read = await get(sandbox, dealer(), profile, 'sort=name');
    expect([read.status, Object.keys(read.json.errors)]).toEqual([422, ['sort']]);
    expect(sandbox.ledger()).toEqual([]);
  });
});

// rule: limit.amount
test('an amount of 12 digits with leading zeros counts as its value, wherever it stands', async () => {
  const story = await storyOf(sandbox, {}, 'approve');
  const { amount: price } = story.sold;
  expect((await story.do('report', { amount: `000${price}` })).data.amount).toBe(price);
  expect((await story.do('import', { amount: `0${price}` })).data.amount).toBe(price);
  const { id, startingPrice } = lotOf(sandbox, 'live-closed');
  const query = `amount=00${startingPrice}&lot_id=${id}`;
  expect((await get(sandbox, dealer(), '/api/v1/bidding-eligibility', query)).json.data.eligible).toBe(true);
  const amount = startingPrice.padStart('000000000000.00'.length, '0');
  expect((await bid(sandbox, dealer(), id, { amount })).status).toBe(201);
  expect(sandbox.ledger().at(-1)?.amount).toBe(startingPrice);
});

test('the lot of a vehicle that went back to draft takes no bids until it is published again', async () => {
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  const { id: vehicleId } = sandbox.vehicleOf(id);
  const event = `/api/v1/events/${sandbox.auctions.get('live-open').id}/lots/${id}`;
  const seen = async () => [
    (await bid(sandbox, dealer(), id, { amount: startingPrice })).json.code,
    (await get(sandbox, dealer(), event)).status,
    (await get(sandbox, dealer(), `/api/v1/lots/${id}/status`)).status,
  ];
  sandbox.actors.set(vehicleId, 'draft');
  expect(await seen()).toEqual(['LOT_NOT_LIVE', 404, 404]);
  sandbox.actors.set(vehicleId, 'published');
  expect(await seen()).toEqual(['BID_ACCEPTED', 200, 200]);
});

describe('a body of a command', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  test('nested deeper than 512 levels is a 422, and one that is accepted can be read again', async () => {
    const story = await storyOf(sandbox, {}, 'approve', 'acknowledge', 'import', 'allocate', 'release');
    const { id } = story.newest('release');
    const collect = (levels: number) => {
      const idempotency_key = randomUUID();
      const identity = { registration_number: story.plate, more: '@' };
      const content = { ...story.body('collect'), idempotency_key, vehicle_identity: identity };
      const body = JSON.stringify(content).replace('"@"', nested(levels));
      const path = `/api/v1/release-authorizations/${id}/collections`;
      return send(sandbox, story.sender('collect'), {
        path,
        body,
        headers: { 'Idempotency-Key': idempotency_key },
      });
    };
    for (const levels of [6_000, 511]) {
      const { status, json } = await collect(levels);
      expect([status, Object.keys(json.errors)]).toEqual([422, ['body']]);
    }
    expect((await collect(510)).status).toBe(200);
    const release = await story.read(`release-authorizations/${id}`);
    expect([release.state, JSON.stringify(release.data.vehicle_identity.more)]).toEqual([
      'used',
      nested(510),
    ]);
  });

  test('with more unknown fields than an argument list can hold is read like any other', async () => {
    const { id } = lotOf(sandbox, 'live-open');
    const unknown = Object.fromEntries(Array.from({ length: 125_000 }, (_, n) => [`f${n}`, n]));
    const { status, headers } = await post({ lot_ids: [id], ...unknown });
    expect(status).toBe(200);
    expect(hintOf({ headers })).toContain('and 124990 more');
  });
});
