import { afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, type Sent, send, signed } from './caller.js';
import { rawExchange, rawRequest, statusOf } from './raw.js';
import { command } from './workflow.js';

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const start = async (
  variants: NonNullable<SandboxOptions['variants']> = {},
  options: SandboxOptions = {},
) => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', variants, ...options });
  return sandbox;
};
const profile = '/api/v1/integration/profile';
const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
const dealer = () => sandbox.credentials.dealer;
const read = (sent: Partial<Sent> = {}, who = dealer()) => send(sandbox, who, { path: profile, ...sent });
const placed = () => {
  const lot = lotOf(sandbox, 'live-open');
  return bid(sandbox, dealer(), lot.id, { amount: lot.startingPrice, idempotency_key: key });
};

describe('nonce-retention', () => {
  test.each([
    ['600-seconds', 600_000],
    ['300-seconds', 300_000],
    ['a-day', 86_400_000],
  ] as const)('%s', async (choice, ms) => {
    await start({ 'nonce-retention': choice });
    const once = () => read({ sign: { nonce: 'the-same-nonce-twice' } });
    expect((await once()).status).toBe(200);
    sandbox.clock.advance(ms);
    expect((await once()).json.code).toBe('NONCE_REPLAYED');
    sandbox.clock.advance(1);
    expect((await once()).status).toBe(200);
  });
});

describe('the rate limit', () => {
  test.each([
    ['client', [200, 429, 200]],
    ['key', [200, 429, 200]],
    ['ip', [200, 429, 429]],
  ] as const)('rate-limit-key %s', async (choice, statuses) => {
    await start({ 'rate-limit-key': choice }, { rateLimit: 1 });
    const got = [
      (await read()).status,
      (await read()).status,
      (await read({}, sandbox.credentials.platform)).status,
    ];
    expect(got).toEqual(statuses);
  });

  test.each([
    ['client', 429],
    ['key', 200],
  ] as const)('rate-limit-key %s: another key of the client', async (choice, status) => {
    await start({ 'rate-limit-key': choice }, { rateLimit: 1 });
    await read();
    const renewed = sandbox.partners.rotateKey(dealer().clientId);
    expect((await read({}, renewed)).status).toBe(status);
  });

  test.each([
    ['before-signature', 429],
    ['after-signature', 200],
  ] as const)('rate-limit-place %s', async (choice, status) => {
    await start({ 'rate-limit-place': choice }, { rateLimit: 1 });
    expect((await read({ sign: { secret: 'wrong' } })).status).toBe(401);
    expect((await read()).status).toBe(status);
    expect((await read()).status).toBe(429);
  });

  test.each([
    ['seconds', '60'],
    ['http-date', 'Sun, 01 Mar 2026 10:01:00 GMT'],
    ['absent', null],
  ] as const)('retry-after-form %s', async (choice, value) => {
    await start({ 'retry-after-form': choice }, { rateLimit: 1 });
    await read();
    const { status, headers } = await read();
    expect([status, headers.get('retry-after')]).toEqual([429, value]);
    sandbox.inject({ fault: 'rate_limit', retryAfter: 60 });
    expect((await read()).headers.get('retry-after')).toBe(value);
  });

  test('a date never comes too early', async () => {
    await start({ 'retry-after-form': 'http-date' }, { rateLimit: 1, startAt: '2026-03-01T10:00:00.250Z' });
    await read();
    expect((await read()).headers.get('retry-after')).toBe('Sun, 01 Mar 2026 10:01:01 GMT');
  });
});

describe('refusals', () => {
  test.each([
    ['scope-denied', 403, 'SCOPE_DENIED'],
    ['bank-access-denied', 403, 'BANK_ACCESS_DENIED'],
    ['message', 403, undefined],
    ['not-found', 404, undefined],
  ] as const)('wrong-actor-code %s', async (choice, status, code) => {
    await start({ 'wrong-actor-code': choice });
    sandbox.partners.update(dealer().clientId, { scopes: ['sales:approve'] });
    const reply = await command(sandbox, dealer(), '/api/v1/sale-cases/sale_1/decisions', {});
    expect([reply.status, reply.json.code, typeof reply.json.message]).toEqual([status, code, 'string']);
  });

  test.each([
    ['auction-access-denied', 'AUCTION_ACCESS_DENIED'],
    ['scope-denied', 'SCOPE_DENIED'],
    ['message', undefined],
  ] as const)('results-entitlement-code %s', async (choice, code) => {
    await start({ 'results-entitlement-code': choice });
    sandbox.partners.update(dealer().clientId, { resultsEntitled: false });
    const { status, json } = await get(sandbox, dealer(), '/api/v1/results');
    expect([status, json.code]).toEqual([403, code]);
  });

  test.each([
    ['service', 'application/json'],
    ['gateway', 'text/html; charset=utf-8'],
  ] as const)('message-only-refusals %s', async (choice, type) => {
    await start({ 'message-only-refusals': choice }, { maxBodyBytes: 10 });
    const native = await send(sandbox, dealer(), { method: 'PATCH', path: profile, body: {} });
    const large = await send(sandbox, dealer(), { path: '/api/v1/lots/status-batch', body: 'x'.repeat(11) });
    expect([native, large].map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
      [405, type],
      [413, type],
    ]);
  });

  test.each([
    ['code', 'IDEMPOTENCY_CONFLICT'],
    ['message', undefined],
  ] as const)('idempotency-conflict-message %s, by script too', async (choice, code) => {
    await start({ 'idempotency-conflict-message': choice });
    sandbox.inject({ fault: 'refuse', code: 'IDEMPOTENCY_CONFLICT' });
    const { status, json } = await placed();
    expect([status, json.code, typeof json.message]).toEqual([409, code, 'string']);
  });
});

describe('accept-header', () => {
  const cases: [string, number][] = [
    ['application/json', 200],
    ['*/*', 200],
    ['application/*', 200],
    ['text/html, application/json;q=0.5', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['text/html', 406],
    ['application/json;q=0', 406],
    ['application/json;q=0, */*', 406],
    ['*/*;q=0.0', 406],
    ['application/xml, text/*', 406],
  ];
  test.each(cases)('refused: %s gets a %d', async (Accept, status) => {
    await start();
    const reply = await read({ headers: { Accept } });
    expect([reply.status, Object.keys(reply.json)[0]]).toEqual([status, status === 200 ? 'data' : 'message']);
  });

  test('ignored', async () => {
    await start({ 'accept-header': 'ignored' });
    expect((await read({ headers: { Accept: 'text/html' } })).status).toBe(200);
  });

  test('without the header anything is taken; a file needs no JSON', async () => {
    await start();
    const bare = rawRequest(sandbox, dealer(), { path: profile, headers: { Accept: undefined } });
    expect(statusOf(await rawExchange(sandbox, bare))).toBe(200);
    const { id, lots } = sandbox.auctions.get('live-open');
    const lot = lots.find(({ media }) => media.length > 0);
    const { json } = await get(sandbox, dealer(), `/api/v1/events/${id}/lots/${lot?.id}`);
    const path = new URL(json.data.images[0]).pathname;
    expect((await read({ path, headers: { Accept: 'image/*' } })).status).toBe(200);
  });

  test('a refused command changed nothing', async () => {
    await start();
    const lot = lotOf(sandbox, 'live-open');
    const headers = { Accept: 'text/html' };
    const bidden = await bid(sandbox, dealer(), lot.id, { amount: lot.startingPrice }, headers);
    expect([bidden.status, sandbox.ledger()]).toEqual([406, []]);
  });
});

describe('tunnelled-method-place', () => {
  const path = '/api/v1/bank/inventory/vehicles/00000000-0000-4000-8000-000000000000';
  const patched = (body: string) =>
    send(sandbox, sandbox.credentials.bank, { path, body, sign: { method: 'PATCH' } });

  test.each([
    ['anywhere', ['_method', '_method']],
    ['first', ['_method', undefined]],
  ] as const)('%s', async (choice, [first, last]) => {
    await start({ 'tunnelled-method-place': choice });
    const refusedFor = async (body: string) => {
      const { status, json } = await patched(body);
      return status === 422 && json.errors._method !== undefined ? undefined : '_method';
    };
    expect(await refusedFor('{"_method":"PATCH","title":"x"}')).toBe(first);
    expect(await refusedFor('{"title":"x","_method":"PATCH"}')).toBe(last);
  });
});

test.each([
  ['described', undefined],
  ['request-id-everywhere', expect.stringMatching(/^req_/)],
] as const)('reply-envelopes %s', async (choice, id) => {
  await start({ 'reply-envelopes': choice });
  const { json } = await read();
  expect([json.request_id, json.server_time]).toEqual([id, '2026-03-01T10:00:00.000Z']);
  const accepted = await placed();
  expect(accepted.json.request_id).toMatch(/^req_/);
});

describe('idempotency keys', () => {
  const state = async () => (await get(sandbox, dealer(), `/api/v1/bid-requests/${key}`)).json.data.state;

  test.each([
    ['for-ever', 'accepted'],
    ['a-day', 'absent'],
  ] as const)('key-retention %s', async (choice, later) => {
    await start({ 'key-retention': choice });
    await placed();
    sandbox.clock.advance(86_399_999);
    expect([await state(), (await placed()).json.data.replayed]).toEqual(['accepted', true]);
    sandbox.clock.advance(1);
    expect(await state()).toBe(later);
  });

  test.each([
    ['carried-out', 201, 200],
    ['refused', 409, 201],
  ] as const)('key-in-flight %s', async (choice, second, first) => {
    await start({ 'key-in-flight': choice });
    sandbox.inject({ fault: 'delay', ms: 5_000 });
    const held = placed();
    while (sandbox.attempts()[0]?.fault !== 'delay') await new Promise((resolve) => setImmediate(resolve));
    const copy = await placed();
    expect([copy.status, copy.json.code]).toEqual([
      second,
      choice === 'refused' ? undefined : 'BID_ACCEPTED',
    ]);
    sandbox.clock.advance(5_000);
    expect((await held).status).toBe(first);
    expect(sandbox.ledger()).toHaveLength(1);
    expect((await placed()).status).toBe(200);
  });

  test('key-in-flight refused: a command too, and other keys not', async () => {
    await start({ 'key-in-flight': 'refused' });
    const made = (await placed()).json.data.bid_id;
    const ask = (idempotency_key: string) =>
      command(sandbox, dealer(), `/api/v1/bids/${made}/cancellation-requests`, {
        idempotency_key,
        reason_code: 'mistake',
        explanation: 'x',
      });
    sandbox.inject({ fault: 'processing', ms: 5_000 });
    await expect(ask(key.replace('3f', '5f'))).rejects.toThrow(TypeError);
    expect((await ask(key.replace('3f', '5F'))).status).toBe(409);
    expect((await ask(key.replace('3f', '6f'))).status).toBe(200);
  });
});

describe('credentials', () => {
  test.each([
    ['key-revoked', {}, 401, 'KEY_REVOKED'],
    ['client-not-active', {}, 401, 'API_CLIENT_NOT_ACTIVE'],
    ['client-not-active', { 'inactive-client-status': '403' }, 403, 'API_CLIENT_NOT_ACTIVE'],
  ] as const)('credential-expiry %s', async (choice, more, status, code) => {
    await start({ 'credential-expiry': choice, ...more });
    sandbox.partners.update(dealer().clientId, { expiresAt: '2026-03-01T10:00:01Z' });
    sandbox.clock.advance(999);
    expect((await read()).status).toBe(200);
    sandbox.clock.advance(1);
    const reply = await read();
    expect([reply.status, reply.json.code]).toEqual([status, code]);
    sandbox.partners.update(dealer().clientId, { expiresAt: null });
    expect((await read()).status).toBe(200);
  });

  test('expiresAt is a moment or null', async () => {
    await start();
    expect(sandbox.partners.get(dealer().clientId).expiresAt).toBeNull();
    expect(() => sandbox.partners.update(dealer().clientId, { expiresAt: 'soon' })).toThrow(RangeError);
  });

  test.each([
    ['at-once', 0],
    ['overlap', 86_400_000],
  ] as const)('key-rotation %s', async (choice, ms) => {
    await start({ 'key-rotation': choice });
    const renewed = sandbox.partners.rotateKey(dealer().clientId);
    expect(renewed).toMatchObject({
      clientId: dealer().clientId,
      partnerType: 'direct_dealer',
      dealerId: 'D-204',
    });
    expect(renewed.keyId).not.toBe(dealer().keyId);
    expect(renewed.signingSecret).not.toBe(dealer().signingSecret);
    expect((await read({}, renewed)).status).toBe(200);
    if (ms > 0) {
      sandbox.clock.advance(ms - 1);
      expect((await read()).status).toBe(200);
      sandbox.clock.advance(1);
    }
    expect((await read()).json.code).toBe('KEY_REVOKED');
    expect((await read({}, renewed)).status).toBe(200);
  });

  test('each key goes with its own secret, and twice rotated is twice revoked', async () => {
    await start();
    const second = sandbox.partners.rotateKey(dealer().clientId);
    const third = sandbox.partners.rotateKey(dealer().clientId);
    expect(new Set([dealer(), second, third].map(({ keyId }) => keyId)).size).toBe(3);
    expect((await read({}, second)).json.code).toBe('KEY_REVOKED');
    expect((await read({}, { ...third, signingSecret: second.signingSecret })).json.code).toBe(
      'INVALID_SIGNATURE',
    );
    expect((await read({}, third)).status).toBe(200);
    expect((await read({}, { ...third, keyId: 'key_other' })).json.code).toBe('API_CLIENT_NOT_ACTIVE');
    expect(() => sandbox.partners.rotateKey('nobody')).toThrow(RangeError);
  });

  test('hands and other clients go on after a rotation', async () => {
    await start();
    sandbox.partners.rotateKey(sandbox.credentials.rival.clientId);
    const lot = lotOf(sandbox, 'live-open');
    sandbox.rival.bid(lot.id, lot.startingPrice);
    expect(sandbox.ledger()).toHaveLength(1);
    expect((await read()).status).toBe(200);
  });
});

test('repeated headers are no header', async () => {
  await start();
  const { headers } = signed(sandbox, dealer(), { path: profile });
  const twice = [...headers, ['X-Key-ID', dealer().keyId] as [string, string]];
  const bytes = `GET ${profile} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${twice.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`;
  expect(await rawExchange(sandbox, bytes)).toContain('API_CLIENT_NOT_ACTIVE');
});
