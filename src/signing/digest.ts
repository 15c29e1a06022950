import type * as NodeCrypto from 'node:crypto';
import { type Digest, loadNobleDigest } from './noble.js';

/** The digests of `node:crypto`; undefined where the runtime has none, such as a Node built without OpenSSL. */
function nodeDigest(): Digest | undefined {
  const crypto: typeof NodeCrypto | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) return undefined;
  return {
    sha256Hex: (data) => crypto.createHash('sha256').update(data).digest('hex'),
    hmacSha256Hex: (secret, ...parts) => {
      const running = crypto.createHmac('sha256', secret);
      for (const part of parts) running.update(part);
      return running.digest('hex');
    },
    startSha256: () => {
      const running = crypto.createHash('sha256');
      return { update: (bytes) => void running.update(bytes), hex: () => running.digest('hex') };
    },
  };
}

/** The only digests of the package: `node:crypto` where the runtime has it, else `@noble/hashes`. */
export const { sha256Hex, hmacSha256Hex, startSha256 }: Digest = nodeDigest() ?? loadNobleDigest();
