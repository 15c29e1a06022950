import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Digests } from './digest-port.js';

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
