import { afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, type Sent, send, signed } from './caller.js';
import { rawExchange } from './raw.js';
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

describe('refusals', () => {
  // rule: access.scope
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

  // rule: access.assignment
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

describe('idempotency keys', () => {
  const state = async () => (await get(sandbox, dealer(), `/api/v1/bid-requests/${key}`)).json.data.state;

  // rule: convention.3
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

  // rule: convention.3
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
  test('expiresAt is a moment or null', async () => {
    await start();
    expect(sandbox.partners.get(dealer().clientId).expiresAt).toBeNull();
    expect(() => sandbox.partners.update(dealer().clientId, { expiresAt: 'soon' })).toThrow(RangeError);
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
    sandbox.actors.rival.bid(lot.id, lot.startingPrice);
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
