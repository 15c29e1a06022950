import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, got, lotOf, send, sha256, signed } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00.250Z' });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const at = Date.parse('2026-03-01T10:00:00.250Z');
const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';

describe('what is told of a request', () => {
  test('a bid that is accepted', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const { json } = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice, idempotency_key: key });
    const body = { dealer_id: 'D-204', idempotency_key: key, amount: lot.startingPrice };
    expect(sandbox.attempts()).toEqual([
      {
        n: 1,
        operation: 'bids.submit',
        call: 'bids.submit',
        method: 'POST',
        path: `/api/v1/lots/${lot.id}/bids`,
        query: {},
        status: 201,
        code: 'BID_ACCEPTED',
        clientId: dealer.clientId,
        idempotencyKey: key,
        nonce: expect.stringMatching(/^n-/),
        bodySha256: sha256(JSON.stringify(body)),
        signature: 'valid',
        hint: null,
        canonical: null,
        fault: null,
        request: body,
        reply: json,
        at,
      },
    ]);
  });

  test('an invalid signature comes with its hint and the canonical request, and without the signature', async () => {
    const { dealer } = sandbox.credentials;
    const sent = {
      path: profile,
      sign: { secret: `${dealer.signingSecret}\n`, nonce: 'a-nonce-of-its-own' },
    };
    const reply = await send(sandbox, dealer, sent);
    expect(sandbox.attempts()[0]).toMatchObject({
      operation: 'A01',
      call: 'integration.profile',
      status: 401,
      code: 'INVALID_SIGNATURE',
      signature: 'invalid',
      hint: reply.headers.get('x-sandbox-hint'),
      canonical: `GET\n${profile}\n\n${Math.floor(at / 1000)}\na-nonce-of-its-own\n${sha256('')}`,
    });
    expect(sandbox.attempts()[0]?.hint).toMatch(/newline/);
  });

  test('nothing routes it', async () => {
    await got(await sandbox.fetch(`${sandbox.baseUrl}/nowhere?a=1&b=%20x&a=2&__proto__=z`));
    const [attempt] = sandbox.attempts();
    expect(attempt).toMatchObject({
      operation: null,
      call: null,
      path: '/api/v1/nowhere?a=1&b=%20x&a=2&__proto__=z',
      status: 401,
      clientId: null,
      code: 'API_CLIENT_NOT_ACTIVE',
      signature: 'unchecked',
      request: null,
      reply: { message: expect.any(String) },
      hint: expect.stringMatching(/^X-Client-ID, X-Key-ID, .* missing/),
    });
    expect(Object.entries(attempt?.query ?? {})).toEqual([
      ['a', ['1', '2']],
      ['b', ' x'],
      ['__proto__', 'z'],
    ]);
  });

  test('a fault that struck it is named; what was not answered has no reply', async () => {
    const { dealer } = sandbox.credentials;
    sandbox.inject({ fault: 'drop_after_commit' });
    await expect(get(sandbox, dealer, profile)).rejects.toThrow(TypeError);
    sandbox.inject({ fault: 'garbage' });
    await get(sandbox, dealer, profile);
    expect(sandbox.attempts()).toMatchObject([
      { fault: 'drop_after_commit', status: 'dropped', signature: 'valid', reply: null },
      { fault: 'garbage', status: 502, signature: 'unchecked', reply: null },
    ]);
  });

  test('two methods with one operation id go by their own names', async () => {
    const { dealer } = sandbox.credentials;
    await get(sandbox, dealer, '/api/v1/documents/doc_1');
    await get(sandbox, dealer, '/api/v1/documents/doc_1', 'download=1');
    expect(sandbox.attempts().map(({ operation, call, query }) => [operation, call, query])).toEqual([
      ['A73', 'documents.get', {}],
      ['A73', 'documents.download', { download: '1' }],
    ]);
  });
});

describe('bounds', () => {
  const upload = async (body: unknown) => {
    await send(sandbox, sandbox.credentials.dealer, { path: '/api/v1/document-uploads', body });
    return sandbox.attempts()[0]?.request;
  };

  test('long texts are cut, with a mark of their length', async () => {
    const request = await upload({ content_base64: 'A'.repeat(50_000), short: 'A'.repeat(256) });
    expect(request).toEqual({
      content_base64: `${'A'.repeat(256)}… (50,000 characters)`,
      short: 'A'.repeat(256),
    });
  });

  test.each([2_000, 2_100, 30_000])(
    'a request of some %d characters is told as it was, whenever that is asked',
    async (size) => {
      const words = Array.from({ length: size / 100 }, (_, n) => `${n}`.padEnd(97, '-'));
      const kept = words.length > 25 ? [...words.slice(0, 25), `… (${words.length} items)`] : words;
      expect(await upload({ words })).toEqual({ words: kept });
      const [attempt] = sandbox.attempts();
      // Whoever asks again is told the same.
      expect(sandbox.attempts()[0]).toEqual(attempt);
    },
  );

  test('long lists, deep nesting and many values are cut', async () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 500; level += 1) deep = [deep];
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]));
    const request = await upload({ list: Array.from({ length: 30 }, (_, n) => n), deep, many });
    expect(request).toMatchObject({
      list: [...Array.from({ length: 25 }, (_, n) => n), '… (30 items)'],
      deep: [[[[[[['…']]]]]]],
      many: { f0: 0, '…': '(5000 fields)' },
    });
    expect(JSON.stringify(request).length).toBeLessThan(10_000);
  });

  test('a body that is no JSON object is none', async () => {
    expect(await upload('{"half":')).toBeNull();
  });

  test('secrets and signatures are blotted out, wherever they stand', async () => {
    const request = await upload({ secret: 's1', nested: [{ signing_secret: 's2', 'X-Signature': 's3' }] });
    expect(request).toEqual({
      secret: '(not shown)',
      nested: [{ signing_secret: '(not shown)', 'X-Signature': '(not shown)' }],
    });
  });

  test('neither secret nor signature of any request is in an attempt', async () => {
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const made = signed(sandbox, dealer, { path: `/api/v1/lots/${lot.id}/bids`, body: { amount: '1' } });
    const signature = made.headers.find(([name]) => name === 'X-Signature')?.[1] ?? '';
    await sandbox.fetch(`${sandbox.baseUrl}/lots/${lot.id}/bids`, {
      method: 'POST',
      headers: made.headers,
      body: new Uint8Array(made.body),
    });
    await send(sandbox, dealer, { path: profile, sign: { secret: 'x' } });
    const told = JSON.stringify(sandbox.attempts());
    expect(told).toContain('"signature":"valid"');
    expect(signature).toHaveLength(64);
    expect(told).not.toContain(signature);
    expect(told).not.toContain(dealer.signingSecret);
  });

  test('the latest are kept, their numbers run on', async () => {
    await using few = await startSandbox({ clock: 'manual', keepAttempts: 3 });
    const numbers: number[][] = [];
    for (let n = 0; n < 8; n += 1) {
      await few.fetch(`${few.baseUrl}/nowhere`);
      numbers.push(few.attempts().map((attempt) => attempt.n));
    }
    expect(numbers).toEqual([[1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6, 7], [6, 7, 8]]);
  });

  test('none is kept with 0', async () => {
    await using none = await startSandbox({ clock: 'manual', keepAttempts: 0 });
    await none.fetch(`${none.baseUrl}/nowhere`);
    expect(none.attempts()).toEqual([]);
  });

  test('10,000 are kept unless told otherwise', async () => {
    for (let n = 0; n < 10_002; n += 1) await sandbox.fetch(`${sandbox.baseUrl}/nowhere`);
    expect([sandbox.attempts().length, sandbox.attempts()[0]?.n]).toEqual([10_000, 3]);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'keepAttempts %d is refused',
    async (keepAttempts) => {
      await expect(startSandbox({ keepAttempts })).rejects.toThrow(/keepAttempts/);
    },
  );
});

describe('the log', () => {
  const logged = async (use: (sandbox: Sandbox) => Promise<unknown>) => {
    const lines: string[] = [];
    await using own = await startSandbox({
      clock: 'manual',
      startAt: '2026-03-01T10:00:00.250Z',
      log: (line) => lines.push(line),
    });
    await use(own);
    return lines;
  };

  test('a line for each request, when it is done with', async () => {
    const lines = await logged(async (own) => {
      const { dealer } = own.credentials;
      await get(own, dealer, profile);
      own.inject({ fault: 'drop_before_commit' });
      await get(own, dealer, '/api/v1/bids', 'page=2').catch(() => {});
      await own.fetch(`${own.baseUrl}/nowhere`);
    });
    expect(lines).toEqual([
      `#1 2026-03-01T10:00:00.250Z GET ${profile} integration.profile 200 client_sbx_dealer`,
      '#2 2026-03-01T10:00:00.250Z GET /api/v1/bids?page=2 bids.list dropped client_sbx_dealer fault: drop_before_commit',
      '#3 2026-03-01T10:00:00.250Z GET /api/v1/nowhere (no route) 401 API_CLIENT_NOT_ACTIVE (no client)',
      expect.stringMatching(/^ {4}hint: X-Client-ID, .* missing/),
    ]);
  });

  test('a refused signature is explained, without the secret or any signature', async () => {
    let secret = '';
    let signature = '';
    const lines = await logged(async (own) => {
      const { dealer } = own.credentials;
      secret = dealer.signingSecret;
      const made = signed(own, dealer, { path: profile, sign: { nonce: 'nonce-of-the-log-1' } });
      signature = made.headers.find(([name]) => name === 'X-Signature')?.[1] ?? '';
      await send(own, dealer, { path: profile, sign: { nonce: 'nonce-of-the-log-1', suffix: '\n' } });
      await send(own, dealer, { path: profile, sign: { nonce: 'nonce-of-the-log-2', secret: 'no idea' } });
    });
    expect(lines).toEqual([
      `#1 2026-03-01T10:00:00.250Z GET ${profile} integration.profile 401 INVALID_SIGNATURE client_sbx_dealer`,
      expect.stringMatching(/^ {4}hint: .*trailing newline/),
      '    canonical request:',
      '    | GET',
      `    | ${profile}`,
      '    | ',
      '    | 1772359200',
      '    | nonce-of-the-log-1',
      `    | ${sha256('')}`,
      `#2 2026-03-01T10:00:00.250Z GET ${profile} integration.profile 401 INVALID_SIGNATURE client_sbx_dealer`,
      expect.stringMatching(/^ {4}hint: no usual mistake/),
      '    canonical request:',
      '    | GET',
      `    | ${profile}`,
      '    | ',
      '    | 1772359200',
      '    | nonce-of-the-log-2',
      `    | ${sha256('')}`,
    ]);
    expect(lines.join('\n')).not.toContain(secret);
    expect(lines.join('\n')).not.toContain(signature);
  });

  test('what is sent can write no line of its own', async () => {
    const lines = await logged((own) =>
      own.fetch(`${own.baseUrl}/nowhere`, { headers: { 'X-Client-ID': 'a\u0085#2\u00ad' } }),
    );
    expect(lines).toEqual([
      '#1 2026-03-01T10:00:00.250Z GET /api/v1/nowhere (no route) 401 API_CLIENT_NOT_ACTIVE a\\u0085#2\\u00ad',
      expect.stringMatching(/^ {4}hint: /),
    ]);
  });

  test('a log that throws stops nothing, and a log that is no function is refused', async () => {
    await using own = await startSandbox({
      clock: 'manual',
      log: () => {
        throw new Error('the disk is full');
      },
    });
    expect((await get(own, own.credentials.dealer, profile)).status).toBe(200);
    await expect(startSandbox({ log: 'yes' as never })).rejects.toThrow(/log/);
  });
});
