import { describe, expect, it } from 'vitest';
import { explainSignature, signRequest } from '../../src/signing/sign.js';
import { canonicalRequest, createSigner } from '../../src/signing/signer.js';
import { withoutNodeCrypto } from '../support/without-crypto.js';
import vectors from '../vectors/signing.json' with { type: 'json' };

type Vector = (typeof vectors)[number];

const bodyOf = (vector: Vector) => Buffer.from(vector.body_base64, 'base64');
const queryOf = (vector: Vector) => vector.params.map(([name = '', value = '']) => [name, value] as const);

const inputOf = (vector: Vector) => ({
  ...{ method: vector.method, path: vector.path, query: queryOf(vector), body: bodyOf(vector) },
  ...{ timestamp: vector.timestamp, nonce: vector.nonce, signingSecret: vector.secret },
});

const explanationOf = (vector: Vector) => ({
  canonicalString: vector.canonical_string,
  canonicalQuery: vector.canonical_query,
  bodySha256: vector.body_sha256,
  signature: vector.signature,
});

it('Every vector is signed by @noble/hashes in a runtime without node:crypto', async () => {
  const portable = await withoutNodeCrypto(() => import('../../src/signing/sign.js'));
  for (const vector of vectors) {
    expect(portable.explainSignature(inputOf(vector)), vector.id).toEqual(explanationOf(vector));
  }
});

describe('vectors', () => {
  it('are all there, and differ in what is signed and what is sent', () => {
    expect(vectors.length).toBeGreaterThan(100);
    expect(vectors.some(({ method, http_method }) => method !== http_method)).toBe(true);
  });

  it.each(vectors)('$id $note', (vector) => {
    expect(explainSignature(inputOf(vector))).toEqual(explanationOf(vector));
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
