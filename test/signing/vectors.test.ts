import { describe, expect, it } from 'vitest';
import { explainSignature, signRequest } from '../../src/signing/sign.js';
import { canonicalRequest, createSigner, nativeDigests, nobleDigests } from '../../src/signing/signer.js';
import vectors from '../vectors/signing.json' with { type: 'json' };

type Vector = (typeof vectors)[number];

const bodyOf = (vector: Vector) => Buffer.from(vector.body_base64, 'base64');
const queryOf = (vector: Vector) => vector.params.map(([name = '', value = '']) => [name, value] as const);

const inputOf = (vector: Vector) => ({
  ...{ method: vector.method, path: vector.path, query: queryOf(vector), body: bodyOf(vector) },
  ...{ timestamp: vector.timestamp, nonce: vector.nonce, signingSecret: vector.secret },
});

describe.each([nativeDigests() ?? nobleDigests, nobleDigests])('vectors, $name digests', (using) => {
  it.each(vectors)('$id $note', (vector) => {
    expect(explainSignature(inputOf(vector), using)).toEqual({
      canonicalString: vector.canonical_string,
      canonicalQuery: vector.canonical_query,
      bodySha256: vector.body_sha256,
      signature: vector.signature,
    });
  });
});

describe('vectors', () => {
  it('are all there, and differ in what is signed and what is sent', () => {
    expect(vectors.length).toBeGreaterThan(100);
    expect(vectors.some(({ method, http_method }) => method !== http_method)).toBe(true);
  });

  // rule: canonical.lines
  it.each(vectors)('$id through canonicalRequest', (vector) => {
    const method = vector.method.toLowerCase();
    const parts = { timestamp: Number(vector.timestamp), bodySha256: vector.body_sha256 };
    expect(canonicalRequest({ ...inputOf(vector), ...parts, method })).toBe(vector.canonical_string);
  });

  // rule: header.signature, canonical.lines
  it.each(vectors)('$id through signRequest and the client’s signer', (vector) => {
    const { canonical_query: canonicalQuery, body_sha256: bodySha256, method, path, nonce } = vector;
    const credentials = { clientId: 'cli_1', keyId: 'key_1', signingSecret: vector.secret };
    const headers = {
      'X-Client-ID': 'cli_1',
      'X-Key-ID': 'key_1',
      'X-Timestamp': vector.timestamp,
      'X-Nonce': nonce,
      'X-Content-SHA256': bodySha256,
      'X-Signature': vector.signature,
    };
    expect(signRequest({ ...inputOf(vector), ...credentials })).toEqual({ headers, canonicalQuery });
    const attempt = { method, path, nonce, canonicalQuery, bodySha256, timestamp: Number(vector.timestamp) };
    expect(createSigner(credentials).sign(attempt)).toBe(vector.signature);
  });
});
