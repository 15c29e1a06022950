import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get, send } from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', rateLimit: false, maxBodyBytes: 100_000 });
});
afterEach(async () => {
  expect((await get(sandbox, sandbox.credentials.dealer, '/api/v1/integration/profile')).status).toBe(200);
  await sandbox.close();
});

/** Some versions of Node refuse raw bytes by themselves. */
const nodesOwn = [400, 401];
const batch = '/api/v1/lots/status-batch';

test.each([
  ['broken JSON', '{"lot_ids": ['],
  ['a number', '1'],
  ['a string', '"x"'],
  ['true', 'true'],
  ['nothing but spaces', '   '],
  ['deep nesting', '['.repeat(49_000) + ']'.repeat(49_000)],
  ['deep nesting inside', `{"lot_ids":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
  ['lone surrogates', '{"lot_ids":{"\\ud800":"\\udfff"}}'],
  ['prototype keys', '{"__proto__":{"lot_ids":["x"]},"constructor":{"prototype":{"polluted":1}}}'],
  [
    'thousands of keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`k${at}`, at]))),
  ],
])('%s: a 422, no stack trace', async (_, body) => {
  const reply = await send(sandbox, sandbox.credentials.dealer, { path: batch, body });
  expect(reply.status).toBe(422);
  expect(Object.keys(reply.json).sort()).toEqual(['errors', 'message']);
  expect(reply.text).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\//);
  expect('polluted' in {}).toBe(false);
});

// rule: canonical.bytes
test('bytes that aren’t UTF-8 are signed as bytes and refused as JSON', async () => {
  const { dealer } = sandbox.credentials;
  const sent = (body: Buffer) => rawRequest(sandbox, dealer, { path: batch, body });
  const latin1 = await rawExchange(sandbox, sent(Buffer.from('{"lot_ids":["\u00ff"]}', 'latin1')));
  expect([statusOf(latin1), Object.keys(JSON.parse(bodyOf(latin1)).errors)]).toEqual([422, ['body']]);
  const utf8 = await rawExchange(sandbox, sent(Buffer.from('{"lot_ids":["\u00ff"]}', 'utf8')));
  expect(statusOf(utf8)).toBe(200);
});

test('a lot id with a lone surrogate is just not found', async () => {
  const body = '{"lot_ids":["\\ud800"]}';
  const reply = await send(sandbox, sandbox.credentials.dealer, { path: batch, body });
  expect(reply.json.data).toEqual([{ lot_id: '\ud800', status: 404, code: 'NOT_FOUND' }]);
});

test('bodies over the limit: 413, by length and by what comes', async () => {
  const { dealer } = sandbox.credentials;
  const body = `{"lot_ids":["${'x'.repeat(100_000)}"]}`;
  const inProcess = await send(sandbox, dealer, { path: batch, body });
  expect([inProcess.status, Object.keys(inProcess.json)]).toEqual([413, ['message']]);
  const reply = await rawExchange(sandbox, rawRequest(sandbox, dealer, { path: batch, body }));
  expect([statusOf(reply), Object.keys(JSON.parse(bodyOf(reply)))]).toEqual([413, ['message']]);
  expect(sandbox.attempts().at(-1)).toMatchObject({
    status: 413,
    bodySha256: null,
    clientId: dealer.clientId,
  });
  const fits = `{"lot_ids":["${'x'.repeat(100_000 - 16)}"]}`;
  expect(fits).toHaveLength(100_000);
  expect((await send(sandbox, dealer, { path: batch, body: fits })).status).toBe(200);
});

test.each(['X-Client-ID', 'X-Key-ID', 'X-Timestamp', 'X-Nonce', 'X-Content-SHA256', 'X-Signature'])(
  '%s twice is as good as none',
  async (name) => {
    const request = rawRequest(sandbox, sandbox.credentials.dealer, { path: '/api/v1/events' });
    const line = new RegExp(`^${name}: .*$`, 'm').exec(request.toString())?.[0].trim() ?? '';
    const twice = request.toString().replace('Host: sandbox', `Host: sandbox\r\n${line}`);
    const reply = await rawExchange(sandbox, twice);
    expect(statusOf(reply)).toBe(401);
    expect(JSON.parse(bodyOf(reply)).success).toBe(false);
  },
);

test.each<[string, string, number | number[]]>([
  ['dots', '/api/v1/../v1/events', 401],
  ['escaped dots', '/api/v1/events/%2e%2e', 401],
  ['an absolute form', 'http://elsewhere/api/v1/events', 404],
  ['an asterisk', '*', 404],
  ['a backslash', '/api/v1\\events', 404],
  ['a long path', `/api/v1/${'a/'.repeat(3_000)}`, 401],
  ['raw bytes', '/api/v1/events/\u00e9', nodesOwn],
  ['a raw byte in the query', '/api/v1/events?search=\u00e9', nodesOwn],
  ['a NUL escape', '/api/v1/events/%00', 401],
  ['a long query', `/api/v1/events?${'a=1&'.repeat(2_000)}`, 401],
])('%s in the target', async (_, target, status) => {
  const { clientId, keyId } = sandbox.credentials.dealer;
  const head = [
    `GET ${target} HTTP/1.1`,
    'Host: sandbox',
    'Connection: close',
    `X-Client-ID: ${clientId}`,
    `X-Key-ID: ${keyId}`,
    `X-Timestamp: ${Math.floor(sandbox.clock.now() / 1000)}`,
    'X-Nonce: 0123456789abcdef',
    'X-Signature: 00',
  ];
  const reply = await rawExchange(sandbox, Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'));
  expect([status].flat()).toContain(statusOf(reply));
  expect(reply).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
});

test('a request that breaks off in its body leaves no trace', async () => {
  const whole = rawRequest(sandbox, sandbox.credentials.dealer, { path: batch, body: { lot_ids: ['x'] } });
  const { connect } = await import('node:net');
  const { hostname, port } = new URL(sandbox.baseUrl);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.end(whole.subarray(0, whole.length - 5));
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
  });
  expect(sandbox.attempts()).toEqual([]);
});
