import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonicalQuery } from '../../src/sandbox/http/canonical.js';
import type { SignedRequest } from '../../src/sandbox/http/signature.js';
import { judgeSignature } from '../../src/sandbox/http/signature.js';
import { hmac, sha256 } from './caller.js';

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

  // rule: header.signature
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
        { wireQuery: vector.canonical_query === '' ? 'a=1' : `${vector.canonical_query}&a=1` },
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

// rule: convention.1
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

// rule: convention.4
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
