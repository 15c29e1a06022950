import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, send, signed } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00.250Z' });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';

describe('the rate limit', () => {
  // rule: code.rate-limit, limit.requests
  test('120 in any rolling minute and client, then 429 with Retry-After', async () => {
    const { dealer, platform } = sandbox.credentials;
    const once = () => get(sandbox, dealer, profile);
    for (let n = 0; n < 60; n += 1) expect((await once()).status).toBe(200);
    sandbox.clock.advance(30_000);
    for (let n = 0; n < 60; n += 1) expect((await once()).status).toBe(200);
    const over = await once();
    expect([over.status, Object.keys(over.json), over.headers.get('retry-after')]).toEqual([
      429,
      ['message'],
      '30',
    ]);
    expect((await get(sandbox, platform, profile)).status).toBe(200);
    sandbox.clock.advance(29_999);
    expect((await once()).headers.get('retry-after')).toBe('1');
    sandbox.clock.advance(1);
    for (let n = 0; n < 60; n += 1) expect((await once()).status).toBe(200);
    expect((await once()).status).toBe(429);
  });

  test('nothing is done and no nonce is used up', async () => {
    await using strict = await startSandbox({ clock: 'manual', rateLimit: 1 });
    const { dealer } = strict.credentials;
    const lot = lotOf(strict, 'live-open');
    await get(strict, dealer, profile);
    const sent = { path: profile, sign: { nonce: 'nonce-to-use-again' } };
    expect((await send(strict, dealer, sent)).status).toBe(429);
    expect((await bid(strict, dealer, lot.id, { amount: lot.startingPrice })).status).toBe(429);
    expect(strict.ledger()).toEqual([]);
    strict.clock.advance(60_000);
    expect((await send(strict, dealer, sent)).status).toBe(200);
  });

  test('requests that fail their signature count', async () => {
    await using strict = await startSandbox({ clock: 'manual', rateLimit: 1 });
    const { dealer } = strict.credentials;
    expect((await send(strict, dealer, { path: profile, sign: { secret: 'x' } })).status).toBe(401);
    expect((await get(strict, dealer, profile)).status).toBe(429);
  });

  test('it can be off', async () => {
    await using open = await startSandbox({ clock: 'manual', rateLimit: false });
    for (let n = 0; n < 130; n += 1)
      expect((await get(open, open.credentials.dealer, profile)).status).toBe(200);
  });
});

describe('routes', () => {
  // rule: error-shape.3, version.1, version.6
  test.each([
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/'],
    ['GET', '/api/v1'],
    ['GET', '/'],
    ['GET', '/api/v2/events'],
    ['GET', '/api/v1/events/'],
    ['GET', '/api/v1//events'],
    ['GET', '/api/v1/events/%'],
    ['GET', '/api/v1/events/%FF'],
    ['GET', '/api/v1/changes'],
    ['POST', '/api/v1/events'],
    ['GET', '/api/v1/lots/status-batch'],
    ['DELETE', '/api/v1/bids/bid_1'],
    ['GET', '/index.php/api/v1/events'],
  ])('%s %s is a 404 with a message and no more', async (method, path) => {
    const { status, json } = await send(sandbox, sandbox.credentials.dealer, { method, path });
    expect([status, Object.keys(json)]).toEqual([404, ['message']]);
  });

  // rule: convention.4
  test.each(['PATCH', 'PUT'])('native %s is blocked', async (method) => {
    const path = '/api/v1/bank/inventory/vehicles/1';
    const { status, json } = await send(sandbox, sandbox.credentials.bank, { method, path, body: {} });
    expect([status, Object.keys(json)]).toEqual([405, ['message']]);
  });

  // rule: convention.4
  test.each(['PATCH', 'PUT'])(
    'POST with _method %s is that method, so not the POST of the path',
    async (method) => {
      const path = '/api/v1/lots/status-batch';
      const body = { lot_ids: ['x'], _method: method };
      const sent = { path, body, sign: { method } };
      expect((await send(sandbox, sandbox.credentials.dealer, sent)).status).toBe(404);
    },
  );

  test('an escaped id is one segment, signed as it is sent', async () => {
    const { dealer } = sandbox.credentials;
    const plain = sandbox.auctions.get('live-open').id;
    const escaped = plain.replace('_', '%5F');
    expect((await get(sandbox, dealer, `/api/v1/events/${escaped}`)).json.data.id).toBe(plain);
    expect((await get(sandbox, dealer, '/api/v1/events/a%2Fb')).status).toBe(404);
    const wrong = await send(sandbox, dealer, {
      path: `/api/v1/events/${escaped}`,
      sign: { path: `/api/v1/events/${plain}` },
    });
    expect(wrong.json.code).toBe('INVALID_SIGNATURE');
  });

  // rule: canonical.lines
  test('a prefix is on the wire and not in the signed path', async () => {
    await using behind = await startSandbox({ clock: 'manual', prefix: '/front/index.php' });
    expect(behind.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/front\/index\.php\/api\/v1$/);
    const { dealer } = behind.credentials;
    expect((await get(behind, dealer, profile)).status).toBe(200);
    expect((await get(behind, dealer, '/api/v1/bids')).json.path).toBe(`${behind.baseUrl}/bids`);
    const bare = signed(behind, dealer, { path: profile });
    const { origin } = new URL(behind.baseUrl);
    expect((await behind.fetch(new Request(origin + profile, { headers: bare.headers }))).status).toBe(404);
    expect(behind.attempts().at(-2)?.path).toBe('/front/index.php/api/v1/bids');
    await expect(startSandbox({ prefix: 'index.php/' })).rejects.toThrow(RangeError);
  });
});

describe('time', () => {
  test('Date and every server time come from the sandbox clock', async () => {
    const first = await get(sandbox, sandbox.credentials.dealer, profile);
    expect(first.headers.get('date')).toBe('Sun, 01 Mar 2026 10:00:00 GMT');
    expect(first.json.server_time).toBe('2026-03-01T10:00:00.250Z');
    sandbox.clock.advance(86_400_000);
    const next = await get(sandbox, sandbox.credentials.dealer, profile);
    expect(next.headers.get('date')).toBe('Mon, 02 Mar 2026 10:00:00 GMT');
  });

  test('the manual clock fires what is due, in order, each at its moment', () => {
    const { clock } = sandbox;
    const start = clock.now();
    const fired: [string, number][] = [];
    const note = (name: string) => () => fired.push([name, clock.now() - start]);
    clock.after(20, note('c'));
    clock.after(10, () => {
      note('a')();
      clock.after(5, note('b'));
    });
    clock.after(10, note('a2'));
    clock.after(100, note('late'));
    const cancel = clock.after(12, note('never'));
    cancel();
    cancel();
    clock.advance(9);
    expect(fired).toEqual([]);
    clock.advance(41);
    expect(fired).toEqual([
      ['a', 10],
      ['a2', 10],
      ['b', 15],
      ['c', 20],
    ]);
    expect([clock.now() - start, clock.monotonic()]).toEqual([50, 50]);
    for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => clock.advance(wrong)).toThrow(RangeError);
    }
  });

  test('the real clock runs with the machine, and advance shifts it', async () => {
    await using real = await startSandbox({ startAt: '2026-03-01T10:00:00Z' });
    const start = Date.parse('2026-03-01T10:00:00Z');
    real.clock.advance(3_600_000);
    const now = real.clock.now();
    expect(now - start).toBeGreaterThanOrEqual(3_600_000);
    const fired = new Promise<void>((resolve) => real.clock.after(1, resolve));
    await fired;
    let early = false;
    real.clock.after(3_600_000, () => {
      early = true;
    });
    real.clock.advance(3_600_000);
    expect(early).toBe(true);
  });

  test('a moment needs a zone', () => {
    expect(() => sandbox.auctions.moveClose('live-open', '2026-03-01T10:00:00')).toThrow(RangeError);
    expect(() => sandbox.auctions.moveClose('live-open', Number.NaN)).toThrow(RangeError);
    expect(() => sandbox.auctions.close('no-such')).toThrow(RangeError);
  });
});

test('facts come as copies', () => {
  const { dealer } = sandbox.credentials;
  sandbox.partners.get(dealer.clientId).active = false;
  expect(sandbox.partners.get(dealer.clientId).active).toBe(true);
  expect(() => sandbox.partners.get('nobody')).toThrow(RangeError);
  expect(() => sandbox.partners.update(dealer.clientId, { buyerLimit: 'lots' })).toThrow(RangeError);
  expect(() => sandbox.partners.update(dealer.clientId, { emdUntil: 'soon' })).toThrow(RangeError);
});
