import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 and HMAC-SHA256. Text is hashed as UTF-8; every result is lowercase hex. */
export interface Digest {
  sha256Hex(data: Uint8Array | string): string;
  /** HMAC under a secret, of the parts one after another. */
  hmacSha256Hex(secret: string, ...parts: readonly (Uint8Array | string)[]): string;
  /** Starts a SHA-256 over bytes that arrive in pieces. */
  startSha256(): RunningSha256;
}

/** A SHA-256 in progress. */
export interface RunningSha256 {
  update(bytes: Uint8Array): void;
  /** Ends it. */
  hex(): string;
}

/** The digests of `@noble/hashes`, which needs nothing from the runtime. */
export const nobleDigest: Digest = {
  sha256Hex: (data) => bytesToHex(sha256(utf8Bytes(data))),
  hmacSha256Hex: (secret, ...parts) => {
    const running = hmac.create(sha256, utf8ToBytes(secret));
    for (const part of parts) running.update(utf8Bytes(part));
    return bytesToHex(running.digest());
  },
  startSha256: () => {
    const running = sha256.create();
    return { update: (bytes) => void running.update(bytes), hex: () => bytesToHex(running.digest()) };
  },
};

export const loadNobleDigest = (): Digest => nobleDigest;

function utf8Bytes(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? utf8ToBytes(data) : data;
}
