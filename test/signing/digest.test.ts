import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutNodeCrypto } from '../support/without-crypto.js';

fc.configureGlobal({ seed: 20260309, numRuns: 300 });

const load = () => import('../../src/signing/signer.js');

const bytes = fc.uint8Array({ maxLength: 300 });
const text = fc.string({ unit: 'grapheme', maxLength: 80 });
/** Keys shorter than, as long as and longer than a block of 64 bytes, in one-byte and multi-byte characters. */
const secrets = fc.oneof(
  text,
  fc.integer({ min: 1, max: 130 }).map((length) => 'k'.repeat(length)),
  fc.integer({ min: 15, max: 45 }).map((length) => 'टा'.repeat(length)),
);

const digests = [
  ['node:crypto', load],
  ['@noble/hashes', () => withoutNodeCrypto(load)],
] as const;

describe.each(digests)('The digests of %s', (_, loadDigests) => {
  it('are those of the standard', async () => {
    const { sha256Hex, hmacSha256Hex, startSha256 } = await loadDigests();
    const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
    const hmac = (secret: string, data: string | Uint8Array) =>
      createHmac('sha256', secret).update(data).digest('hex');
    fc.assert(
      fc.property(secrets, bytes, text, (secret, data, message) => {
        expect(sha256Hex(data)).toBe(sha256(data));
        expect(sha256Hex(message)).toBe(sha256(message));
        expect(hmacSha256Hex(secret, message)).toBe(hmac(secret, message));
        expect(hmacSha256Hex(secret, data)).toBe(hmac(secret, data));
        const both = Buffer.concat([Buffer.from(message), data]);
        expect(hmacSha256Hex(secret, message, data)).toBe(hmac(secret, both));
        expect(hmacSha256Hex(secret)).toBe(hmac(secret, ''));
        const running = startSha256();
        running.update(Buffer.from(message));
        running.update(data);
        expect(running.hex()).toBe(sha256(both));
      }),
    );
  });

  it('read text that is not well-formed as UTF-8 encoders do', async () => {
    const { hmacSha256Hex } = await loadDigests();
    for (const malformed of ['\ud800', 'a\udc00b']) {
      const expected = createHmac('sha256', malformed).update(malformed).digest('hex');
      expect(hmacSha256Hex(malformed, malformed)).toBe(expected);
    }
  });
});

it('A runtime with node:crypto uses it, and one without uses @noble/hashes', async () => {
  const used = async (module: Promise<{ readonly startSha256: () => unknown }>) =>
    String((await module).startSha256);
  expect(await used(load())).toContain('crypto.createHash');
  expect(await used(withoutNodeCrypto(load))).not.toContain('crypto.');
});
