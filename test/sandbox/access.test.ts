import { describe, expect, test } from 'vitest';
import type { AccessFacts, SandboxOptions } from '../../src/sandbox/index.js';
import {
  bid,
  dealer,
  freshSandbox,
  get,
  lotOf,
  profile,
  restart,
  type Sent,
  sandbox,
  send,
  sha256,
  signed,
} from './caller.js';
import { command } from './workflow.js';

freshSandbox();

const now = Date.parse('2026-03-01T10:00:00Z') / 1_000;
const read = (sent: Partial<Sent> = {}, who = dealer()) => send(sandbox, who, { path: profile, ...sent });
const placed = (idempotency_key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f') => {
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  return bid(sandbox, dealer(), id, { amount: startingPrice, idempotency_key });
};

describe('a signed request', () => {
  // rule: header.client-id, header.key-id, header.timestamp, header.nonce, header.content-sha256
  // rule: canonical.lines, canonical.clock, error-shape.1, code.signature
  test.each<[string, Partial<Sent>]>([
    ['API_CLIENT_NOT_ACTIVE', { headers: { 'X-Client-ID': undefined } }],
    ['API_CLIENT_NOT_ACTIVE', { headers: { 'X-Client-ID': 'x' } }],
    ['API_CLIENT_NOT_ACTIVE', { headers: { 'X-Key-ID': undefined } }],
    ['API_CLIENT_NOT_ACTIVE', { headers: { 'X-Key-ID': 'key_other' } }],
    ['TIMESTAMP_EXPIRED', { sign: { timestamp: String(now - 301) } }],
    ['TIMESTAMP_EXPIRED', { sign: { timestamp: String(now + 301) } }],
    ['INVALID_NONCE', { sign: { nonce: 'a'.repeat(15) } }],
    ['INVALID_NONCE', { sign: { nonce: 'a'.repeat(129) } }],
    ['INVALID_NONCE', { sign: { nonce: 'aaaaaaaa.aaaaaaaa' } }],
    ['INVALID_NONCE', { headers: { 'X-Nonce': undefined } }],
    ['INVALID_SIGNATURE', { headers: { 'X-Content-SHA256': undefined } }],
    ['INVALID_SIGNATURE', { sign: { path: '/api/v1/events' } }],
    ['INVALID_SIGNATURE', { sign: { digest: sha256('x') } }],
  ])('is refused with %s for %o', async (code, change) => {
    const { status, json } = await read(change);
    expect([status, json]).toEqual([
      401,
      {
        ...{ success: false, code, message: expect.any(String), data: null, errors: [code] },
        ...{ request_id: expect.any(String), timestamp: '2026-03-01T10:00:00.000Z' },
      },
    ]);
  });

  // rule: header.nonce, canonical.clock, limit.clock, limit.nonce
  test('gets in at the bounds themselves', async () => {
    const timestamps = [now - 300, now + 300].map((at) => ({ timestamp: String(at) }));
    for (const sign of [...timestamps, { nonce: '-'.repeat(16) }, { nonce: '_'.repeat(128) }]) {
      const { status, json } = await read({ sign });
      expect([status, json.data.client_id, json.server_time]).toEqual([
        ...[200, dealer().clientId, '2026-03-01T10:00:00.000Z'],
      ]);
    }
    sandbox.clock.advance(999);
    expect((await read({ sign: { timestamp: String(now - 300) } })).status).toBe(200);
    sandbox.clock.advance(1);
    expect((await read({ sign: { timestamp: String(now - 300) } })).json.code).toBe('TIMESTAMP_EXPIRED');
  });

  // rule: header.signature
  test('is refused for another case, length or digit of its signature, and its nonce is kept', async () => {
    const headers = Object.fromEntries(signed(sandbox, dealer(), { path: profile }).headers);
    const { 'X-Signature': right = '', 'X-Nonce': nonce = '' } = headers;
    const digit = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
    for (const wrong of [right.toUpperCase(), right.slice(1), `${right}0`, digit, '']) {
      const { json } = await read({ sign: { nonce }, headers: { 'X-Signature': wrong } });
      expect(json.code).toBe('INVALID_SIGNATURE');
    }
    expect((await read({ sign: { nonce } })).status).toBe(200);
  });

  // rule: canonical.lines
  test.each([
    ['status=live&page=1', 'page=1&status=live'],
    ['page=1&&status=live', 'page=1&status=live'],
    ['status=l%69ve', 'status=live'],
    ['page', 'page='],
    ['search=a+b', 'search=a%20b'],
    ['search=a%2fb', 'search=a%2Fb'],
    ['search=100%', 'search=100%25'],
    ['a=~&A=1', 'A=1&a=~'],
  ])('with the query %s is signed over %s', async (query, canonical) => {
    const path = '/api/v1/events';
    expect((await read({ path, query, sign: { query } })).json.code).toBe('INVALID_SIGNATURE');
    expect((await read({ path, query, sign: { query: canonical } })).status).not.toBe(401);
  });

  test('of a stranger to the secret learns nothing but that', async () => {
    sandbox.partners.update(dealer().clientId, { kyb: false, scopes: [] });
    expect((await read({ sign: { secret: 'guess' } })).json.errors).toEqual(['INVALID_SIGNATURE']);
  });
});

describe('a nonce', () => {
  const once = (who = dealer()) => read({ sign: { nonce: 'the-same-nonce-twice' } }, who);

  // rule: canonical.fresh, canonical.retention, code.nonce-replayed
  test('is that of one request of one client for 600 seconds', async () => {
    expect((await once()).status).toBe(200);
    const { status, json } = await once();
    expect([status, json.code, json.data]).toEqual([409, 'NONCE_REPLAYED', null]);
    expect((await once(sandbox.credentials.platform)).status).toBe(200);
    sandbox.clock.advance(600_000);
    expect((await once()).status).toBe(409);
    sandbox.clock.advance(1);
    expect((await once()).status).toBe(200);
  });

  test('is used up by a refusal of the facts', async () => {
    sandbox.partners.update(dealer().clientId, { kyb: false });
    expect([(await once()).status, (await once()).status]).toEqual([403, 409]);
  });
});

describe('access', () => {
  // rule: general.6, general.8, access.https, access.address, code.access, code.bank-unavailable
  test.each<[SandboxOptions, Partial<AccessFacts>, number, string | undefined]>([
    [{}, { allowedIps: ['127.0.0.0/8', '::1'] }, 200, undefined],
    [{ environment: 'production' }, {}, 200, undefined],
    [{ environment: 'production' }, { environment: 'sandbox' }, 403, 'ENVIRONMENT_DENIED'],
  ])('with %o and %o is answered %i %s', async (options, facts, status, code) => {
    await restart(options);
    sandbox.partners.update(dealer().clientId, facts);
    const reply = await read();
    expect([reply.status, reply.json.code]).toEqual([status, code]);
  });

  test('is changed by no change of what is told, and there is none of nobody', async () => {
    sandbox.partners.get(dealer().clientId).active = false;
    expect((await read()).status).toBe(200);
    expect(() => sandbox.partners.get('nobody')).toThrow(RangeError);
    expect(() => sandbox.partners.rotateKey('nobody')).toThrow(RangeError);
  });

  test('of a rotated key ends, that of the new one and of actors begins, each with its own secret', async () => {
    const first = dealer();
    const second = sandbox.partners.rotateKey(first.clientId);
    const third = sandbox.partners.rotateKey(first.clientId);
    expect(new Set([first, second, third].map(({ keyId }) => keyId)).size).toBe(3);
    expect((await read({}, second)).json.code).toBe('KEY_REVOKED');
    const mixed = { ...third, signingSecret: second.signingSecret };
    expect((await read({}, mixed)).json.code).toBe('INVALID_SIGNATURE');
    expect((await read({}, { ...third, keyId: 'key_other' })).json.code).toBe('API_CLIENT_NOT_ACTIVE');
    expect((await read({}, third)).status).toBe(200);
    sandbox.partners.rotateKey(sandbox.credentials.rival.clientId);
    sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open').id);
    expect([sandbox.ledger().length, (await read({}, sandbox.credentials.platform)).status]).toEqual([
      1, 200,
    ]);
  });
});

describe('the profile', () => {
  test('A01 tells each caller who it is and what it may, and never the secret', async () => {
    const { platform, bank } = sandbox.credentials;
    const mine = await read();
    const { scopes, operations, ...rest } = mine.json.data;
    expect(rest).toEqual({
      ...{ environment: 'sandbox', bank_id: expect.any(String), partner_id: expect.any(String) },
      ...{ client_id: dealer().clientId, dealer_id: 'D-204' },
      ...{ actor_type: 'partner', partner_type: 'direct_dealer' },
    });
    expect(scopes).toContain('bids:read');
    expect(operations).toContainEqual({
      ...{ id: 'A06', method: 'GET', path: '/api/v1/bid-requests/{idempotency_key}', scope: 'bids:read' },
      ...{ title: expect.any(String), actors: ['partner'] },
    });
    expect(mine.text).not.toContain(dealer().signingSecret);
    expect((await read({}, platform)).json.data.partner_type).toBe('platform');
    const banks = (await read({}, bank)).json.data;
    expect(banks).toMatchObject({ actor_type: 'bank', partner_id: null, dealer_id: null });
    const ids = banks.operations.map(({ id }: { id: string }) => id);
    expect([ids.includes('A05'), ids.includes('A06')]).toEqual([true, false]);
    sandbox.partners.update(dealer().clientId, { scopes: ['integration:read'] });
    const less = (await read()).json.data;
    expect([less.scopes, less.operations.length]).toEqual([['integration:read'], 2]);
  });

  // rule: version.1, version.2
  test('A02 tells the version, what bids show, and that webhooks are off', async () => {
    const { json } = await get(sandbox, sandbox.credentials.bank, '/api/v1/integration/capabilities');
    expect(json).toMatchObject({
      server_time: '2026-03-01T10:00:00.000Z',
      data: {
        ...{ api_versions: ['v1'], webhooks: { enabled: false }, realtime: { enabled: false } },
        bid_visibility: { open: expect.any(String), closed: expect.any(String) },
      },
    });
  });
});

describe('the rate limit', () => {
  // rule: code.rate-limit, limit.requests
  test('is 120 in any rolling minute and client, then 429 with Retry-After', async () => {
    await restart({ rateLimit: undefined } as never);
    const some = async () => {
      for (let n = 0; n < 60; n += 1) expect((await read()).status).toBe(200);
    };
    await some();
    sandbox.clock.advance(30_000);
    await some();
    const over = await read();
    const retryAfter = over.headers.get('retry-after');
    expect([over.status, Object.keys(over.json), retryAfter]).toEqual([429, ['message'], '30']);
    expect((await read({}, sandbox.credentials.platform)).status).toBe(200);
    sandbox.clock.advance(29_999);
    expect((await read()).headers.get('retry-after')).toBe('1');
    sandbox.clock.advance(1);
    await some();
    expect((await read()).status).toBe(429);
  });

  test('counts what fails its signature; beyond it nothing is done and no nonce is used up', async () => {
    await restart({ rateLimit: 1 });
    expect((await read({ sign: { secret: 'x' } })).status).toBe(401);
    const sent = { sign: { nonce: 'nonce-to-use-again' } };
    expect([(await read(sent)).status, (await placed()).status, sandbox.ledger()]).toEqual([429, 429, []]);
    sandbox.clock.advance(60_000);
    expect((await read(sent)).status).toBe(200);
  });
});

describe('idempotency keys', () => {
  const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
  const state = async () => (await get(sandbox, dealer(), `/api/v1/bid-requests/${key}`)).json.data.state;

  // rule: convention.3
  test.each([
    ['forever', 'accepted'],
    ['a-day', 'absent'],
  ] as const)('with key-retention %s are %s a day later', async (choice, later) => {
    await restart({ variants: { 'key-retention': choice } });
    await placed();
    sandbox.clock.advance(86_399_999);
    expect([await state(), (await placed()).json.data.replayed]).toEqual(['accepted', true]);
    sandbox.clock.advance(1);
    expect(await state()).toBe(later);
  });

  test('in flight may be those of a command, in another spelling, and other keys are not concerned', async () => {
    await restart({ variants: { 'key-in-flight': 'refused' } });
    const path = `/api/v1/bids/${(await placed()).json.data.bid_id}/cancellation-requests`;
    const ask = (idempotency_key: string) =>
      command(sandbox, dealer(), path, { idempotency_key, reason_code: 'mistake', explanation: 'x' });
    sandbox.inject({ fault: 'processing', ms: 5_000 });
    await expect(ask(key.replace('3f', '5F'))).rejects.toThrow(TypeError);
    expect((await ask(key.replace('3f', '5f').toUpperCase())).status).toBe(409);
    expect((await ask(key.replace('3f', '6f'))).status).toBe(200);
  });
});
