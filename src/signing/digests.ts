import type * as NodeCrypto from 'node:crypto';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 and HMAC-SHA256, the two primitives that signing and webhooks stand on. Text is UTF-8; output is lowercase hex. */
export interface Digests {
  readonly name: 'native' | 'noble';
  sha256Hex(data: Uint8Array): string;
  /** Prepares a key once; the returned function closes over it and shows it nowhere. */
  hmacSha256(secret: string): KeyedDigest;
}

/** HMAC-SHA256 under one key, of the given parts one after another. */
export type KeyedDigest = (...parts: readonly (string | Uint8Array)[]) => string;

const BLOCK = 64;

/** `node:crypto`'s SHA-256; undefined where the runtime has none. It keeps a 20 MB body from holding the event loop. */
export function nativeDigests(): Digests | undefined {
  const crypto: typeof NodeCrypto | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) return undefined;
  const { createHash, createHmac } = crypto;
  // The one-shot hash (Node 20.12) costs half of createHash; older or other runtimes may lack it.
  const sha256Hex = crypto.hash
    ? (data: Uint8Array | string) => crypto.hash('sha256', data, 'hex')
    : (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');

  return {
    name: 'native',
    sha256Hex,
    hmacSha256: (secret) => {
      const [inner, outer] = pads(Buffer.from(secret, 'utf8'), (key) =>
        createHash('sha256').update(key).digest(),
      );
      return (...parts) => {
        const [only] = parts;
        if (parts.length === 1 && typeof only === 'string') {
          const message = Buffer.allocUnsafe(BLOCK + Buffer.byteLength(only));
          inner.copy(message);
          message.write(only, BLOCK, 'utf8');
          outer.write(sha256Hex(message), BLOCK, 'hex');
          return sha256Hex(outer);
        }
        const running = createHmac('sha256', secret);
        for (const part of parts) running.update(part);
        return running.digest('hex');
      };
    },
  };
}

/** The two key blocks of HMAC (RFC 2104); the outer one leaves room for the inner digest. */
function pads(key: Buffer, hash: (key: Buffer) => Buffer): [inner: Buffer, outer: Buffer] {
  const short = key.length > BLOCK ? hash(key) : key;
  const inner = Buffer.alloc(BLOCK, 0x36);
  const outer = Buffer.alloc(BLOCK + 32, 0x5c);
  short.forEach((byte, index) => {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  });
  return [inner, outer];
}

/** The portable implementation, on @noble/hashes. */
export const nobleDigests: Digests = {
  name: 'noble',
  sha256Hex: (data) => bytesToHex(sha256(data)),
  hmacSha256: (secret) => {
    const keyed = hmac.create(sha256, utf8ToBytes(secret));
    return (...parts) => {
      const running = keyed.clone();
      for (const part of parts) running.update(typeof part === 'string' ? utf8ToBytes(part) : part);
      return bytesToHex(running.digest());
    };
  },
};

/** Native where the runtime has `node:crypto` (chosen once, here), else the portable implementation. */
export const digests: Digests = nativeDigests() ?? nobleDigests;
