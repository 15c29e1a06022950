import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AccessFacts, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get, type Sent, send, sha256, signed } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const now = Date.parse('2026-03-01T10:00:00Z') / 1000;

test('a correctly signed request gets in', async () => {
  const { status, json } = await get(sandbox, sandbox.credentials.dealer, profile);
  expect(status).toBe(200);
  expect(json.data.client_id).toBe(sandbox.credentials.dealer.clientId);
  expect(json.server_time).toBe('2026-03-01T10:00:00.000Z');
});

const digit = (hex: string) => (hex.endsWith('0') ? `${hex.slice(0, -1)}1` : `${hex.slice(0, -1)}0`);

describe('401 and its codes', () => {
  const cases: [string, string, (sent: Sent) => Sent][] = [
    ['no client', 'API_CLIENT_NOT_ACTIVE', (sent) => ({ ...sent, headers: { 'X-Client-ID': undefined } })],
    ['an unknown client', 'API_CLIENT_NOT_ACTIVE', (sent) => ({ ...sent, headers: { 'X-Client-ID': 'x' } })],
    ['no key', 'API_CLIENT_NOT_ACTIVE', (sent) => ({ ...sent, headers: { 'X-Key-ID': undefined } })],
    [
      'an unknown key',
      'API_CLIENT_NOT_ACTIVE',
      (sent) => ({ ...sent, headers: { 'X-Key-ID': 'key_other' } }),
    ],
    ['301 s late', 'TIMESTAMP_EXPIRED', (sent) => ({ ...sent, sign: { timestamp: String(now - 301) } })],
    ['301 s early', 'TIMESTAMP_EXPIRED', (sent) => ({ ...sent, sign: { timestamp: String(now + 301) } })],
    ['milliseconds', 'TIMESTAMP_EXPIRED', (sent) => ({ ...sent, sign: { timestamp: String(now * 1000) } })],
    ['a decimal timestamp', 'TIMESTAMP_EXPIRED', (sent) => ({ ...sent, sign: { timestamp: `${now}.0` } })],
    ['a padded timestamp', 'TIMESTAMP_EXPIRED', (sent) => ({ ...sent, sign: { timestamp: `0${now}` } })],
    [
      'a date for a timestamp',
      'TIMESTAMP_EXPIRED',
      (sent) => ({ ...sent, sign: { timestamp: 'yesterday' } }),
    ],
    ['no timestamp', 'TIMESTAMP_EXPIRED', (sent) => ({ ...sent, headers: { 'X-Timestamp': undefined } })],
    ['15 characters of nonce', 'INVALID_NONCE', (sent) => ({ ...sent, sign: { nonce: 'a'.repeat(15) } })],
    ['129 characters of nonce', 'INVALID_NONCE', (sent) => ({ ...sent, sign: { nonce: 'a'.repeat(129) } })],
    ['a nonce with a dot', 'INVALID_NONCE', (sent) => ({ ...sent, sign: { nonce: 'aaaaaaaa.aaaaaaaa' } })],
    ['no nonce', 'INVALID_NONCE', (sent) => ({ ...sent, headers: { 'X-Nonce': undefined } })],
    ['no signature', 'INVALID_SIGNATURE', (sent) => ({ ...sent, headers: { 'X-Signature': undefined } })],
    ['no digest', 'INVALID_SIGNATURE', (sent) => ({ ...sent, headers: { 'X-Content-SHA256': undefined } })],
    ['another secret', 'INVALID_SIGNATURE', (sent) => ({ ...sent, sign: { secret: 'another' } })],
    ['another path', 'INVALID_SIGNATURE', (sent) => ({ ...sent, sign: { path: '/api/v1/events' } })],
    ['another method', 'INVALID_SIGNATURE', (sent) => ({ ...sent, sign: { method: 'POST' } })],
    ['another digest', 'INVALID_SIGNATURE', (sent) => ({ ...sent, sign: { digest: sha256('x') } })],
    [
      'an upper-case digest',
      'INVALID_SIGNATURE',
      (sent) => ({ ...sent, sign: { digest: sha256('').toUpperCase() } }),
    ],
    ['a trailing line feed', 'INVALID_SIGNATURE', (sent) => ({ ...sent, sign: { suffix: '\n' } })],
  ];
  // rule: header.client-id, header.key-id, header.timestamp, header.nonce, header.content-sha256
  // rule: canonical.lines, canonical.clock, error-shape.1, code.signature
  test.each(cases)('%s', async (_, code, change) => {
    const sent = change({ path: profile });
    const { status, json } = await send(sandbox, sandbox.credentials.dealer, sent);
    expect(status).toBe(401);
    expect(json).toEqual({
      success: false,
      code,
      message: expect.any(String),
      data: null,
      errors: [code],
      request_id: expect.any(String),
      timestamp: '2026-03-01T10:00:00.000Z',
    });
  });

  // rule: header.nonce, canonical.clock, limit.clock, limit.nonce
  test('the bounds themselves pass', async () => {
    const { dealer } = sandbox.credentials;
    for (const sign of [
      { timestamp: String(now - 300) },
      { timestamp: String(now + 300) },
      { nonce: '-'.repeat(16) },
      { nonce: '_'.repeat(128) },
    ]) {
      expect((await send(sandbox, dealer, { path: profile, sign })).status).toBe(200);
    }
    sandbox.clock.advance(1);
    const justOver = { path: profile, sign: { timestamp: String(now - 300) } };
    expect((await send(sandbox, dealer, justOver)).json.code).toBe('TIMESTAMP_EXPIRED');
  });

  // rule: header.signature
  test('a signature of another case, length or digit is refused', async () => {
    const { dealer } = sandbox.credentials;
    const made = signed(sandbox, dealer, { path: profile });
    const signature = made.headers.find(([name]) => name === 'X-Signature')?.[1] ?? '';
    const nonce = made.headers.find(([name]) => name === 'X-Nonce')?.[1] ?? '';
    for (const wrong of [
      signature.toUpperCase(),
      signature.slice(1),
      `${signature}0`,
      digit(signature),
      '',
    ]) {
      const sent = { path: profile, sign: { nonce }, headers: { 'X-Signature': wrong } };
      expect((await send(sandbox, dealer, sent)).json.code).toBe('INVALID_SIGNATURE');
    }
    expect((await send(sandbox, dealer, { path: profile, sign: { nonce } })).status).toBe(200);
  });

  // rule: canonical.lines
  test('the signature is over the canonical query, whatever the order and escaping on the wire', async () => {
    const { dealer } = sandbox.credentials;
    const path = '/api/v1/events';
    for (const [wire, canonical] of [
      ['status=live&page=1', 'page=1&status=live'],
      ['page=1&&status=live', 'page=1&status=live'],
      ['status=l%69ve', 'status=live'],
      ['page', 'page='],
      ['search=a+b', 'search=a%20b'],
      ['search=a%2fb', 'search=a%2Fb'],
      ['search=100%', 'search=100%25'],
      ['a=~&A=1', 'A=1&a=~'],
    ] as const) {
      for (const query of [wire, canonical]) {
        const { status, json } = await send(sandbox, dealer, { path, query: wire, sign: { query } });
        const accepted = query === canonical;
        expect([wire, query, status === 401, json.code === 'INVALID_SIGNATURE']).toEqual([
          wire,
          query,
          !accepted,
          !accepted,
        ]);
      }
    }
    expect((await get(sandbox, dealer, path, 'page=1&status=live')).status).toBe(200);
  });
});

describe('what access facts refuse', () => {
  test('nothing but the code of an invalid signature is learnt without the secret', async () => {
    const { dealer } = sandbox.credentials;
    sandbox.partners.update(dealer.clientId, { kyb: false, scopes: [] });
    const { json } = await send(sandbox, dealer, { path: profile, sign: { secret: 'guess' } });
    expect(json.errors).toEqual(['INVALID_SIGNATURE']);
  });

  // rule: access.address
  test('an approved block lets its addresses in', async () => {
    const { dealer } = sandbox.credentials;
    sandbox.partners.update(dealer.clientId, { allowedIps: ['127.0.0.0/8', '::1'] });
    expect((await get(sandbox, dealer, profile)).status).toBe(200);
    expect(() => sandbox.partners.update(dealer.clientId, { allowedIps: ['localhost'] })).toThrow(RangeError);
  });

  // rule: general.5, access.scope
  test('the wrong actor is refused whatever its scopes', async () => {
    const { bank } = sandbox.credentials;
    sandbox.partners.update(bank.clientId, { scopes: ['lot-status:read', 'integration:read'] });
    const lot = sandbox.auctions.get('live-open').lots[0]?.id;
    const reply = await get(sandbox, bank, `/api/v1/lots/${lot}/status`);
    expect([reply.status, reply.json.code]).toEqual([403, 'SCOPE_DENIED']);
    expect((await get(sandbox, bank, profile)).json.data.actor_type).toBe('bank');
  });

  // rule: general.6, general.8, access.https, code.access, code.bank-unavailable
  test('options: TLS, environment, addresses, variants', async () => {
    const options = { clock: 'manual', startAt: '2026-03-01T10:00:00Z' } as const;
    const code = async (extra: Parameters<typeof startSandbox>[0], facts: Partial<AccessFacts> = {}) => {
      await using other = await startSandbox({ ...options, ...extra });
      other.partners.update(other.credentials.dealer.clientId, facts);
      const reply = await get(other, other.credentials.dealer, profile);
      return [reply.status, reply.json.code];
    };
    expect(await code({ requireTls: true })).toEqual([403, 'TLS_REQUIRED']);
    expect(await code({ allowedIps: ['203.0.113.7'] })).toEqual([403, 'IP_NOT_ALLOWED']);
    expect(await code({ environment: 'production' })).toEqual([200, undefined]);
    expect(await code({ environment: 'production' }, { environment: 'sandbox' })).toEqual([
      403,
      'ENVIRONMENT_DENIED',
    ]);
    expect(await code({ variants: { 'inactive-client-status': '403' } }, { active: false })).toEqual([
      403,
      'API_CLIENT_NOT_ACTIVE',
    ]);
    expect(
      await code({ variants: { 'bank-unavailable-status': '403' } }, { bankSubscription: false }),
    ).toEqual([403, 'BANK_UNAVAILABLE']);
    await expect(startSandbox({ allowedIps: ['nonsense'] })).rejects.toThrow(RangeError);
  });
});

describe('nonces', () => {
  const nonce = 'the-same-nonce-twice';
  const once = (who = sandbox.credentials.dealer) => send(sandbox, who, { path: profile, sign: { nonce } });

  // rule: canonical.fresh, code.nonce-replayed
  test('a second use is a conflict, and other clients are not concerned', async () => {
    expect((await once()).status).toBe(200);
    const again = await once();
    expect([again.status, again.json.code, again.json.data]).toEqual([409, 'NONCE_REPLAYED', null]);
    expect((await once(sandbox.credentials.platform)).status).toBe(200);
  });

  // rule: canonical.retention
  test('it is remembered for 600 seconds', async () => {
    await once();
    sandbox.clock.advance(600_000);
    expect((await once()).status).toBe(409);
    sandbox.clock.advance(1);
    expect((await once()).status).toBe(200);
  });

  test('a request that failed its signature uses none up', async () => {
    const { dealer } = sandbox.credentials;
    await send(sandbox, dealer, { path: profile, sign: { nonce, secret: 'wrong' } });
    expect((await once()).status).toBe(200);
  });

  test('a refused but signed request uses its nonce up', async () => {
    sandbox.partners.update(sandbox.credentials.dealer.clientId, { kyb: false });
    expect((await once()).status).toBe(403);
    expect((await once()).status).toBe(409);
  });
});
