import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Digests } from '../../src/signing/signer.js';
import { digests, nativeDigests, nobleDigests } from '../../src/signing/signer.js';

fc.configureGlobal({ seed: 20260309, numRuns: 300 });

const native = nativeDigests() ?? nobleDigests;
const bytes = fc.uint8Array({ maxLength: 300 });
const text = fc.string({ unit: 'grapheme', maxLength: 80 });
/** Keys shorter than, as long as and longer than a block of 64 bytes, in one-byte and multi-byte characters. */
const secrets = fc.oneof(
  text,
  fc.integer({ min: 1, max: 130 }).map((length) => 'k'.repeat(length)),
  fc.integer({ min: 15, max: 45 }).map((length) => 'टा'.repeat(length)),
);

describe.each<Digests>([native, nobleDigests])('$name digests', (using) => {
  it('know SHA-256 of nothing and of "abc" (FIPS 180-2)', () => {
    expect(using.sha256Hex(new Uint8Array())).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(using.sha256Hex(Buffer.from('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('know HMAC-SHA256 of RFC 4231, case 2', () => {
    expect(using.hmacSha256('Jefe')('what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('say what node:crypto says', () => {
    fc.assert(
      fc.property(secrets, bytes, text, (secret, data, message) => {
        expect(using.sha256Hex(data)).toBe(createHash('sha256').update(data).digest('hex'));
        const key = using.hmacSha256(secret);
        const expected = (part: string | Uint8Array) =>
          createHmac('sha256', secret).update(part).digest('hex');
        expect(key(message)).toBe(expected(message));
        expect(key(data)).toBe(expected(data));
        expect(key(message, data)).toBe(expected(Buffer.concat([Buffer.from(message), data])));
        expect(key()).toBe(expected(''));
        expect(key(message), 'a key is as good the second time').toBe(expected(message));
      }),
    );
  });

  it('keep keys apart', () => {
    const [one, two] = [using.hmacSha256('1'), using.hmacSha256('2')];
    const first = one('m');
    expect(two('m')).not.toBe(first);
    expect(one('m')).toBe(first);
  });

  it('show no secret', () => {
    const key = using.hmacSha256('never_to_be_seen');
    expect(`${key}${JSON.stringify({ ...key })}`).not.toContain('never_to_be_seen');
  });
});

describe('native and noble', () => {
  it('agree on what is not well-formed', () => {
    for (const odd of ['\ud800', 'a\udc00b']) {
      expect(native.hmacSha256(odd)(odd)).toBe(nobleDigests.hmacSha256(odd)(odd));
    }
  });

  it('native is picked on Node', () => {
    expect(digests.name).toBe('native');
  });
});

describe('a runtime with less', () => {
  const { getBuiltinModule } = process;

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('without node:crypto has no native digests', () => {
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
    expect(nativeDigests()).toBeUndefined();
  });

  it('without the one-shot hash says the same', () => {
    const older = { ...getBuiltinModule('node:crypto'), hash: undefined };
    vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => older);
    const using = nativeDigests();
    expect(using?.sha256Hex(Buffer.from('abc'))).toBe(nobleDigests.sha256Hex(Buffer.from('abc')));
    expect(using?.hmacSha256('k')('m')).toBe(nobleDigests.hmacSha256('k')('m'));
  });
});
