import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalQuery } from '../../src/sandbox/canonical.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { judgeSignature } from '../../src/sandbox/signature.js';
import type { SignedRequest } from '../../src/sandbox/signed-request.js';
import { hmac, type Sent, send, sha256 } from './caller.js';

interface Vector {
  id: string;
  method: string;
  http_method: string;
  path: string;
  params: [string, string][];
  timestamp: string;
  nonce: string;
  body_base64: string;
  secret: string;
  canonical_query: string;
  body_sha256: string;
  canonical_string: string;
  signature: string;
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../vectors/signing.json', import.meta.url), 'utf8'),
);

const fromVector = (vector: Vector): SignedRequest => ({
  method: vector.method,
  wireMethod: vector.http_method,
  path: vector.path,
  prefix: '',
  wireQuery: vector.canonical_query,
  timestamp: vector.timestamp,
  nonce: vector.nonce,
  body: Buffer.from(vector.body_base64, 'base64'),
  claimedSha256: vector.body_sha256,
  signature: vector.signature,
});

describe('the vectors', () => {
  test('there are some', () => expect(vectors.length).toBeGreaterThan(100));

  test.each(vectors.map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const verdict = judgeSignature(fromVector(vector), vector.secret);
    expect(verdict).toEqual({ valid: true, canonical: vector.canonical_string });
    const asSent = vector.params.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    expect(canonicalQuery(asSent)).toBe(vector.canonical_query);
  });

  test.each(vectors.map((vector) => [vector.id, vector] as const))(
    '%s, changed anywhere, is refused',
    (_, vector) => {
      const good = fromVector(vector);
      const changes: Partial<SignedRequest>[] = [
        { method: vector.method === 'GET' ? 'POST' : 'GET' },
        { path: `${vector.path}/` },
        { timestamp: `${Number(vector.timestamp) + 1}` },
        { nonce: `${vector.nonce}x` },
        { claimedSha256: vector.body_sha256.toUpperCase() },
        { claimedSha256: '' },
        { signature: vector.signature.toUpperCase() },
        { signature: vector.signature.slice(0, -1) },
        { body: Buffer.concat([good.body, Buffer.from(' ')]) },
        { wireQuery: vector.canonical_query === '' ? 'a=1' : `${vector.canonical_query}&` },
      ];
      for (const change of changes) {
        expect(judgeSignature({ ...good, ...change }, vector.secret).valid, JSON.stringify(change)).toBe(
          false,
        );
      }
      expect(judgeSignature(good, `${vector.secret}x`).valid).toBe(false);
    },
  );
});

test('a GET with a body is refused, however well signed', () => {
  const body = Buffer.from('{}');
  const canonical = `GET\n/api/v1/events\n\n1\naaaaaaaaaaaaaaaa\n${sha256(body)}`;
  const verdict = judgeSignature(
    {
      method: 'GET',
      wireMethod: 'GET',
      path: '/api/v1/events',
      prefix: '',
      wireQuery: '',
      timestamp: '1',
      nonce: 'aaaaaaaaaaaaaaaa',
      body,
      claimedSha256: sha256(body),
      signature: hmac('s', canonical),
    },
    's',
  );
  expect(verdict).toMatchObject({ valid: false, hint: expect.stringContaining('GET') });
});

test('a signature over POST for a tunnelled PATCH is named', () => {
  const body = Buffer.from('{"_method":"PATCH"}');
  const line = (method: string) => `${method}\n/api/v1/x\n\n1\naaaaaaaaaaaaaaaa\n${sha256(body)}`;
  const request = (signature: string): SignedRequest => ({
    method: 'PATCH',
    wireMethod: 'POST',
    path: '/api/v1/x',
    prefix: '',
    wireQuery: '',
    timestamp: '1',
    nonce: 'aaaaaaaaaaaaaaaa',
    body,
    claimedSha256: sha256(body),
    signature,
  });
  expect(judgeSignature(request(hmac('s', line('PATCH'))), 's').valid).toBe(true);
  expect(judgeSignature(request(hmac('s', line('POST'))), 's')).toMatchObject({
    valid: false,
    hint: 'wrong effective method: POST was signed instead of PATCH',
  });
});

describe('hints', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', prefix: '/index.php', startAt: 1_772_000_000_000 });
  });
  afterEach(() => sandbox.close());

  const secret = () => sandbox.credentials.dealer.signingSecret;
  const lots = '/api/v1/events/auc_1/lots';
  const batch = '/api/v1/lots/status-batch';
  const spaced = '{ "lot_ids": ["a"] }';
  const cases: [string, string | RegExp, () => Sent][] = [
    ['prefix signed', /prefix was signed/, () => ({ path: lots, sign: { path: `/index.php${lots}` } })],
    ['path relative', /without \/api\/v1/, () => ({ path: lots, sign: { path: '/events/auc_1/lots' } })],
    ['unsorted as sent', /unsorted query/, () => ({ path: lots, query: 'search=a&page=1' })],
    [
      'unsorted, sent sorted',
      /unsorted query/,
      () => ({ path: lots, query: 'a=1&b=2&c=3', sign: { query: 'c=3&a=1&b=2' } }),
    ],
    ['plus as sent', /`\+` was signed/, () => ({ path: lots, query: 'search=a+b' })],
    [
      'plus signed',
      /`\+` was signed/,
      () => ({ path: lots, query: 'search=a%20b', sign: { query: 'search=a+b' } }),
    ],
    [
      'plus sent',
      /`\+` was sent/,
      () => ({ path: lots, query: 'search=a+b', sign: { query: 'search=a%20b' } }),
    ],
    [
      'sent otherwise',
      /sent otherwise/,
      () => ({ path: lots, query: 'search=a&page=1', sign: { query: 'page=1&search=a' } }),
    ],
    ['newline in the secret', /trailing newline/, () => ({ path: lots, sign: { secret: `${secret()}\n` } })],
    [
      'line feed at the end',
      /canonical string .* trailing newline/,
      () => ({ path: lots, sign: { suffix: '\n' } }),
    ],
    [
      'decoded secret',
      /decoded as base64/,
      () => ({ path: lots, sign: { secret: Buffer.from(secret(), 'base64') } }),
    ],
    [
      're-serialised',
      /re-serialised/,
      () => ({ path: batch, body: spaced, sign: { digest: sha256('{"lot_ids":["a"]}') } }),
    ],
    [
      'wrong digest',
      /wrong body digest/,
      () => ({ path: batch, body: spaced, sign: { digest: sha256('other') } }),
    ],
    [
      'digest header only',
      /X-Content-SHA256/,
      () => ({ path: batch, body: spaced, headers: { 'X-Content-SHA256': sha256('other') } }),
    ],
    [
      'wrong method',
      /GET was signed instead of POST/,
      () => ({ path: batch, body: spaced, sign: { method: 'GET' } }),
    ],
    ['lower-case method', /lower case/, () => ({ path: lots, sign: { method: 'get' } })],
    ['query left out', /left out/, () => ({ path: lots, query: 'page=1', sign: { query: '' } })],
    [
      'lower-case escapes',
      /lower-case percent/,
      () => ({ path: lots, query: 'search=a%2Fb', sign: { query: 'search=a%2fb' } }),
    ],
  ];
  test.each(cases)('%s', async (_, hint, make) => {
    const { dealer } = sandbox.credentials;
    const reply = await send(sandbox, dealer, make());
    expect([reply.status, reply.json.code]).toEqual([401, 'INVALID_SIGNATURE']);
    expect(reply.headers.get('x-sandbox-hint')).toMatch(hint);
    expect(reply.json.message).toMatch(hint);
    expect(reply.text + JSON.stringify([...reply.headers])).not.toContain(dealer.signingSecret);
  });

  test('no hint where nothing simple explains it; the canonical string is always shown', async () => {
    const reply = await send(sandbox, sandbox.credentials.dealer, {
      path: lots,
      query: 'b=%C3%A9&a=1',
      sign: { secret: 'nothing', nonce: 'nonce-nonce-nonce', timestamp: '1772000000' },
    });
    expect(reply.headers.get('x-sandbox-hint')).toBeNull();
    const shown: unknown = JSON.parse(reply.headers.get('x-sandbox-canonical') ?? '');
    expect(shown).toBe(`GET\n${lots}\na=1&b=%C3%A9\n1772000000\nnonce-nonce-nonce\n${sha256('')}`);
  });
});
