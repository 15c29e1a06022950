import { describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import {
  bid,
  dealer,
  freshSandbox,
  get,
  lotOf,
  onManualClock,
  profile,
  sandbox,
  send,
  sha256,
  signed,
} from './caller.js';

const startAt = '2026-03-01T10:00:00.250Z';
const at = Date.parse(startAt);
freshSandbox({ startAt });

const nowhere = (of = sandbox, headers = {}) => of.fetch(`${of.baseUrl}/nowhere`, { headers });

describe('what is noted of a request', () => {
  test('is everything of a bid that is accepted', async () => {
    const { id, startingPrice: amount } = lotOf(sandbox, 'live-open');
    const idempotencyKey = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
    const { json } = await bid(sandbox, dealer(), id, { amount, idempotency_key: idempotencyKey });
    const request = { dealer_id: 'D-204', idempotency_key: idempotencyKey, amount };
    expect(sandbox.attempts()).toEqual([
      {
        ...{ n: 1, at, operation: 'bids.submit', call: 'bids.submit', method: 'POST' },
        ...{ path: `/api/v1/lots/${id}/bids`, query: {}, status: 201, code: 'BID_ACCEPTED' },
        ...{ clientId: dealer().clientId, idempotencyKey, nonce: expect.stringMatching(/^n-/) },
        ...{ signature: 'valid', hint: null, canonical: null, fault: null, request, reply: json },
        bodySha256: sha256(JSON.stringify(request)),
      },
    ]);
  });

  test('has the query of what nothing routes', async () => {
    const query = 'a=1&b=%20x&a=2&__proto__=z';
    await sandbox.fetch(`${sandbox.baseUrl}/nowhere?${query}`);
    const [attempt] = sandbox.attempts();
    expect(attempt).toMatchObject({
      ...{ operation: null, call: null, path: `/api/v1/nowhere?${query}`, status: 401, clientId: null },
      ...{ code: 'API_CLIENT_NOT_ACTIVE', signature: 'unchecked', request: null },
      ...{ reply: { message: expect.any(String) }, hint: expect.stringContaining('X-Client-ID') },
    });
    expect(Object.entries(attempt?.query ?? {})).toEqual([
      ['a', ['1', '2']],
      ['b', ' x'],
      ['__proto__', 'z'],
    ]);
  });
});

describe('the bounds of what is noted', () => {
  const upload = async (body: unknown) => {
    await send(sandbox, dealer(), { path: '/api/v1/document-uploads', body });
    return sandbox.attempts()[0]?.request;
  };

  test('cut long texts, with a mark of their length', async () => {
    const short = 'A'.repeat(256);
    const content_base64 = 'A'.repeat(50_000);
    const cut = expect.stringMatching(/^A{256}.*50,000/);
    expect(await upload({ content_base64, short })).toEqual({ content_base64: cut, short });
  });

  test.each([2_000, 2_100, 30_000])(
    'keep a request of %d characters, whenever that is asked',
    async (size) => {
      const words = Array.from({ length: size / 100 }, (_, n) => `${n}`.padEnd(97, '-'));
      const more = words.length > 25 ? [expect.stringContaining(String(words.length))] : [];
      expect(await upload({ words })).toEqual({ words: [...words.slice(0, 25), ...more] });
      expect(sandbox.attempts()[0]).toEqual(sandbox.attempts()[0]);
    },
  );

  test('cut long lists, deep nesting and many values', async () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 500; level += 1) deep = [deep];
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]));
    const list = Array.from({ length: 30 }, (_, n) => n);
    const request = await upload({ list, deep, many });
    expect(request).toMatchObject({
      list: [...list.slice(0, 25), expect.any(String)],
      deep: [[[[[[['…']]]]]]],
    });
    expect(request).toMatchObject({ many: { f0: 0, '…': expect.stringContaining('5000') } });
    expect(JSON.stringify(request).length).toBeLessThan(10_000);
    await upload('{"half":');
    expect(sandbox.attempts()[1]?.request).toBeNull();
  });

  test('blot out secrets and signatures, wherever they stand', async () => {
    const secrets = { secret: 's-one', nested: [{ signing_secret: 's-two', 'X-Signature': 's-three' }] };
    const hidden = expect.not.stringContaining('s-');
    expect(await upload(secrets)).toEqual({
      ...{ secret: hidden, nested: [{ signing_secret: hidden, 'X-Signature': hidden }] },
    });
    const { headers } = signed(sandbox, dealer(), { path: profile });
    const signature = Object.fromEntries(headers)['X-Signature'] ?? '';
    await sandbox.fetch(`${sandbox.baseUrl}/integration/profile`, { headers });
    await send(sandbox, dealer(), { path: profile, sign: { secret: 'x' } });
    const told = JSON.stringify(sandbox.attempts());
    expect([signature.length, told.includes('"signature":"valid"')]).toEqual([64, true]);
    expect(told).not.toContain(signature);
    expect(told).not.toContain(dealer().signingSecret);
  });

  test.each([
    [0, 8, []],
    [3, 2, [1, 2]],
    [3, 8, [6, 7, 8]],
    [undefined, 10_002, [3, 4]],
  ])('with keepAttempts %s keep of %i the latest: %j', async (keepAttempts, sent, numbers) => {
    await using own = await onManualClock({ ...(keepAttempts !== undefined && { keepAttempts }) });
    for (let n = 0; n < sent; n += 1) await nowhere(own);
    const kept = own.attempts().map(({ n }) => n);
    expect(kept).toHaveLength(Math.min(sent, keepAttempts ?? 10_000));
    expect(kept.slice(0, numbers.length)).toEqual(numbers);
  });

  test.each<SandboxOptions[]>([
    [{ keepAttempts: -1 }],
    [{ keepAttempts: 1.5 }],
    [{ keepAttempts: Number.NaN }],
    [{ keepAttempts: Number.POSITIVE_INFINITY }],
    [{ log: 'yes' as never }],
  ])('are not %o', async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(Object.keys(options)[0]);
  });
});

describe('the log', () => {
  const logged = async (use: (sandbox: Sandbox) => Promise<unknown>) => {
    const lines: string[] = [];
    await using own = await onManualClock({ startAt, log: (line) => lines.push(line) });
    await use(own);
    return lines;
  };
  const hint = expect.stringMatching(/^ {4}hint: /);

  test('has a line for each request, when it is done with, and what is sent can write no line of its own', async () => {
    const lines = await logged(async (own) => {
      const { dealer } = own.credentials;
      await get(own, dealer, profile);
      own.inject({ fault: 'drop_before_commit' });
      await get(own, dealer, '/api/v1/bids', 'page=2').catch(() => {});
      await nowhere(own, { 'X-Client-ID': 'a\u0085#2\u00ad' });
    });
    const bids = 'GET /api/v1/bids?page=2 bids.list dropped client_sbx_dealer fault: drop_before_commit';
    expect(lines).toEqual([
      `#1 ${startAt} GET ${profile} integration.profile 200 client_sbx_dealer`,
      `#2 ${startAt} ${bids}`,
      `#3 ${startAt} GET /api/v1/nowhere (no route) 401 API_CLIENT_NOT_ACTIVE a\\u0085#2\\u00ad`,
      hint,
    ]);
  });

  test.each([{ suffix: '\n' }, { secret: 'no idea' }])(
    'explains the refused signature of %o, and shows none',
    async (sign) => {
      const hidden: string[] = [];
      const nonce = 'nonce-of-the-log-1';
      const lines = await logged(async (own) => {
        const { dealer } = own.credentials;
        const { headers } = signed(own, dealer, { path: profile, sign: { nonce } });
        hidden.push(dealer.signingSecret, Object.fromEntries(headers)['X-Signature'] ?? '');
        await send(own, dealer, { path: profile, sign: { nonce, ...sign } });
      });
      const canonical = ['GET', profile, '', '1772359200', nonce, sha256('')];
      expect(lines).toEqual([
        `#1 ${startAt} GET ${profile} integration.profile 401 INVALID_SIGNATURE client_sbx_dealer`,
        ...[hint, '    canonical request:', ...canonical.map((line) => `    | ${line}`)],
      ]);
      for (const secret of hidden) expect(lines.join('\n')).not.toContain(secret);
    },
  );

  test('that throws stops nothing', async () => {
    const log = () => {
      throw new Error('the disk is full');
    };
    await using own = await onManualClock({ log });
    expect((await get(own, own.credentials.dealer, profile)).status).toBe(200);
  });
});

test('what is noted has the hint and the canonical request of an invalid signature', async () => {
  const sign = { secret: `${dealer().signingSecret}\n`, nonce: 'a-nonce-of-its-own' };
  const { headers } = await send(sandbox, dealer(), { path: profile, sign });
  const hint = headers.get('x-sandbox-hint');
  expect(hint).toEqual(expect.any(String));
  expect(sandbox.attempts()).toMatchObject([
    {
      ...{ operation: 'A01', call: 'integration.profile', status: 401, code: 'INVALID_SIGNATURE' },
      ...{ signature: 'invalid', hint },
      canonical: `GET\n${profile}\n\n${Math.floor(at / 1_000)}\na-nonce-of-its-own\n${sha256('')}`,
    },
  ]);
});

test('what is noted names the fault that struck it, and has no reply where none was sent', async () => {
  sandbox.inject({ fault: 'drop_after_commit' });
  await expect(get(sandbox, dealer(), profile)).rejects.toThrow(TypeError);
  sandbox.inject({ fault: 'garbage' });
  await get(sandbox, dealer(), profile);
  expect(sandbox.attempts()).toMatchObject([
    { fault: 'drop_after_commit', status: 'dropped', signature: 'valid', reply: null },
    { fault: 'garbage', status: 502, signature: 'unchecked', reply: null },
  ]);
});
