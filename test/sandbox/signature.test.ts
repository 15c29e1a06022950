import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalQuery } from '../../src/sandbox/http/canonical.js';
import { judgeSignature, type SignedRequest } from '../../src/sandbox/http/signature.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { onManualClock, type Sent, send, sha256, signed } from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';

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
const file = new URL('../vectors/signing.json', import.meta.url);
const vectors: Vector[] = JSON.parse(readFileSync(file, 'utf8'));

// rule: header.signature
test.each(vectors.map((vector) => [vector.id, vector] as const))(
  'the signature of vector %s is valid, and invalid when anything is changed',
  (_, vector) => {
    const { method, path, timestamp, nonce, secret, signature } = vector;
    const good: SignedRequest = {
      ...{ method, path, timestamp, nonce, signature, wireMethod: vector.http_method, prefix: '' },
      wireQuery: vector.canonical_query,
      body: Buffer.from(vector.body_base64, 'base64'),
      claimedSha256: vector.body_sha256,
    };
    expect(judgeSignature(good, secret)).toEqual({ valid: true, canonical: vector.canonical_string });
    const asSent = vector.params.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    expect(canonicalQuery(asSent)).toBe(vector.canonical_query);
    const changes: Partial<SignedRequest>[] = [
      { method: method === 'GET' ? 'POST' : 'GET' },
      { path: `${path}/` },
      { timestamp: `${Number(timestamp) + 1}` },
      { nonce: `${nonce}x` },
      { claimedSha256: vector.body_sha256.toUpperCase() },
      { claimedSha256: '' },
      { signature: signature.toUpperCase() },
      { signature: signature.slice(0, -1) },
      { body: Buffer.concat([good.body, Buffer.from(' ')]) },
      { wireQuery: `${good.wireQuery}&a=1` },
    ];
    const verdicts = changes.map((change) => judgeSignature({ ...good, ...change }, secret).valid);
    expect(verdicts).toEqual(changes.map(() => false));
    expect(judgeSignature(good, `${secret}x`).valid).toBe(false);
  },
);

describe('a refused signature', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await onManualClock({ prefix: '/index.php', startAt: 1_772_000_000_250 });
  });
  afterEach(() => sandbox.close());

  const lots = '/api/v1/events/auc_1/lots';
  const nonce = 'the-nonce-of-this-test';
  const spaced = '{ "lot_ids": ["a", "\u20b9/b"] }';

  /** Requests with one mistake each. Which hint each gets stands in the golden file. */
  function mistakes(): Record<string, Sent> {
    const { signingSecret: secret, keyId } = sandbox.credentials.dealer;
    const { host } = new URL(sandbox.baseUrl);
    const lines = ['GET', lots, '', '1772000000', nonce, sha256('')];
    const [method = '', path = '', query = '', timestamp = '', , digest = ''] = lines;
    const get = (sign: Sent['sign'], query = '') => ({ path: lots, query, sign: { nonce, ...sign } });
    const batch = (body: string, sign: NonNullable<Sent['sign']>) => ({
      path: '/api/v1/lots/status-batch',
      body,
      sign,
    });
    const escaped = (path: string) => ({ path: '/api/v1/events/auc%5F1', sign: { path } });
    const key = (secret: string | Buffer) => get({ secret });
    /** A signature over any text, in place of the one that would be sent. */
    const over = (text: string, secretKey = secret, hash = 'sha256') =>
      written(createHmac(hash, secretKey).update(text).digest('hex'));
    const written = (signature?: string) => ({ ...get({}), headers: { 'X-Signature': signature } });
    const right = createHmac('sha256', secret).update(lines.join('\n')).digest('hex');
    return {
      'prefix in the path': get({ path: `/index.php${lots}` }),
      'relative path': get({ path: '/events/auc_1/lots' }),
      'host in the path': get({ path: `${host}${lots}` }),
      'http and host in the path': get({ path: `http://${host}${lots}` }),
      'https and host in the path': get({ path: `https://${host}${lots}` }),
      'host, prefix and query in the path': get({ path: `http://${host}/index.php${lots}?page=1` }, 'page=1'),
      'query in the path': get({ path: `${lots}?page=1`, query: '' }, 'page=1'),
      'query in the path and as a line': get({ path: `${lots}?page=1` }, 'page=1'),
      'slash at the end of the path': get({ path: `${lots}/` }),
      'decoded path': escaped('/api/v1/events/auc_1'),
      'path encoded twice': escaped('/api/v1/events/auc%255F1'),
      'another method': batch(spaced, { method: 'GET' }),
      'POST for a tunnelled PATCH': {
        ...{
          path: '/api/v1/bank/inventory/vehicles/1',
          body: { _method: 'PATCH' },
          sign: { method: 'POST' },
        },
      },
      'method in lower case': get({ method: 'get' }),
      'query unsorted, and sent so': get({}, 'search=a&page=1'),
      'query unsorted, and encoded otherwise': get({}, 'search=a%2fb&page=1'),
      '+ signed and sent': get({}, 'search=a+b'),
      '+ signed, %20 sent': get({ query: 'search=a+b' }, 'search=a%20b'),
      'no query': get({ query: '' }, 'page=1'),
      'query with its question mark': get({ query: '?page=1' }, 'page=1'),
      'query with escapes in lower case': get({ query: 'search=a%2fb' }, 'search=a%2Fb'),
      'query not encoded': get({ query: 'search=a/b' }, 'search=a%2Fb'),
      'query encoded twice': get({ query: 'search=a%252Fb' }, 'search=a%2Fb'),
      'query by encodeURIComponent()': get({ query: 'search=(a%2Fb)' }, 'search=%28a%2Fb%29'),
      'body serialised compactly': batch(spaced, { digest: sha256('{"lot_ids":["a","\u20b9/b"]}') }),
      'body serialised in ASCII': batch(spaced, { digest: sha256('{"lot_ids": ["a", "\\u20b9/b"]}') }),
      'body serialised with escapes': batch(spaced, { digest: sha256('{"lot_ids":["a","\u20b9\\/b"]}') }),
      'body pretty-printed': batch('{"a":1}', { digest: sha256('{\n  "a": 1\n}') }),
      'other line ends': batch('{\r\n"a":1}', { digest: sha256('{\n"a":1}') }),
      'another encoding': batch('{"a":"\u00e9"}', {
        digest: sha256(Buffer.from('{"a":"\u00e9"}', 'latin1')),
      }),
      'digest of nothing': batch(spaced, { digest: sha256('') }),
      'no digest': get({ digest: '' }),
      'body in the place of its digest': batch('{"a":1}', { digest: '{"a":1}' }),
      'digest in upper case': get({ digest: digest.toUpperCase() }),
      'digest in base64': get({ digest: createHash('sha256').digest('base64') }),
      'another digest': batch(spaced, { digest: sha256('other') }),
      'another digest in the header only': { ...batch(spaced, {}), headers: { 'X-Content-SHA256': digest } },
      'newline behind the secret': key(`${secret}\n`),
      'CR and newline behind the secret': key(`${secret}\r\n`),
      'space behind the secret': key(`${secret} `),
      'newline behind the lines': get({ suffix: '\n' }),
      'CR and newline behind the lines': get({ suffix: '\r\n' }),
      'space before the secret': key(` ${secret}`),
      'quoted secret': key(`"${secret}"`),
      'secret with a byte order mark': key(`\ufeff${secret}`),
      'secret decoded as base64': key(Buffer.from(secret, 'base64')),
      'secret decoded as hex': key(Buffer.from(secret, 'hex')),
      'key ID for the secret': key(keyId),
      'secret of another client': key(sandbox.credentials.platform.signingSecret),
      'joined with CR and newline': over(lines.join('\r\n')),
      'joined with a backslash and n': over(lines.join('\\n')),
      'joined with nothing': over(lines.join('')),
      'five lines': over([method, path, timestamp, nonce, digest].join('\n')),
      'nonce before the timestamp': over([method, path, query, nonce, timestamp, digest].join('\n')),
      'HMAC-SHA1': over(lines.join('\n'), secret, 'sha1'),
      'HMAC-SHA512': over(lines.join('\n'), secret, 'sha512'),
      'signature in upper-case hex': written(right.toUpperCase()),
      'signature in base64': written(Buffer.from(right, 'hex').toString('base64')),
      'signature in base64url': written(Buffer.from(right, 'hex').toString('base64url')),
      'signature with v1=': written(`v1=${right}`),
      'no signature': written(undefined),
      'nothing usual': key('nothing'),
    };
  }

  // rule: canonical.bytes, code.signature, convention.4
  test('is explained by the hint of the golden file, and shows neither the secret nor the right one', async () => {
    const { dealer, platform } = sandbox.credentials;
    const told: string[] = [];
    for (const [mistake, sent] of Object.entries(mistakes())) {
      const reply = await send(sandbox, dealer, { ...sent, sign: { nonce, ...sent.sign } });
      expect([reply.status, reply.json.code], mistake).toEqual([401, 'INVALID_SIGNATURE']);
      const hint = reply.headers.get('x-sandbox-hint');
      const [attempt] = sandbox.attempts().slice(-1);
      expect(attempt, mistake).toMatchObject({ signature: 'invalid', hint });
      if (hint !== null) expect(reply.json.message, mistake).toContain(hint);
      told.push(`${mistake}\n  ${hint}\n`);
      const proper = signed(sandbox, dealer, { ...sent, sign: { nonce }, headers: {} }).headers;
      const all = `${reply.text}${JSON.stringify([...reply.headers])}${JSON.stringify(attempt)}`;
      for (const secret of [
        dealer.signingSecret,
        platform.signingSecret,
        Object.fromEntries(proper)['X-Signature'],
      ]) {
        expect(secret?.length).toBeGreaterThan(15);
        expect(all, mistake).not.toContain(secret);
      }
    }
    expect(sandbox.ledger()).toEqual([]);
    await expect(told.join('\n')).toMatchFileSnapshot('hints.golden.txt');
  });

  test('comes with the canonical string of the request', async () => {
    const sent = {
      path: lots,
      query: 'b=%C3%A9&a=1',
      sign: { secret: 'nothing', nonce, timestamp: '1772000000' },
    };
    const reply = await send(sandbox, sandbox.credentials.dealer, sent);
    const shown: unknown = JSON.parse(reply.headers.get('x-sandbox-canonical') ?? '');
    expect(shown).toBe(`GET\n${lots}\na=1&b=%C3%A9\n1772000000\n${nonce}\n${sha256('')}`);
  });

  // rule: convention.1
  test('is that of a GET with a body, however well signed', async () => {
    const sent = { method: 'GET', path: lots, body: '{}' };
    const request = rawRequest(sandbox, sandbox.credentials.dealer, sent).toString();
    const reply = await rawExchange(sandbox, request.replace(lots, `/index.php${lots}`));
    expect([statusOf(reply), JSON.parse(bodyOf(reply)).code]).toEqual([401, 'INVALID_SIGNATURE']);
    expect(sandbox.attempts()[0]?.hint).toContain('GET');
  });

  test('for its timestamp is explained by the hint of the golden file', async () => {
    const noSeconds = ['1772000000250', '', '2026-02-25T06:13:20Z', '1772000000.25', '01772000000'];
    const timestamps = [...noSeconds, '1771996400', '1772000302'];
    const told: string[] = [];
    for (const timestamp of timestamps) {
      const headers = { 'X-Timestamp': timestamp || undefined };
      const reply = await send(sandbox, sandbox.credentials.dealer, { path: lots, headers });
      expect([reply.status, reply.json.code]).toEqual([401, 'TIMESTAMP_EXPIRED']);
      const hint = reply.headers.get('x-sandbox-hint');
      expect(sandbox.attempts().at(-1)).toMatchObject({ signature: 'unchecked', hint, canonical: null });
      told.push(`X-Timestamp: ${timestamp || '(none)'}\n  ${hint}\n`);
    }
    await expect(told.join('\n')).toMatchFileSnapshot('timestamp-hints.golden.txt');
  });

  test('over a real socket is explained with the host of the request', async () => {
    const path = `http://auctions.example:8080${lots}`;
    const { headers } = signed(sandbox, sandbox.credentials.dealer, { path: lots, sign: { path } });
    const fields = headers.map((pair) => pair.join(': '));
    const head = [
      `GET /index.php${lots} HTTP/1.1`,
      'Host: auctions.example:8080',
      'Connection: close',
      ...fields,
    ];
    const reply = await rawExchange(sandbox, `${head.join('\r\n')}\r\n\r\n`);
    expect(reply).toMatch(/x-sandbox-hint: the path was signed with its host/i);
  });
});
