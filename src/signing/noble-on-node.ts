import { createRequire } from 'node:module';
import type { Digest } from './noble.js';

/**
 * Takes the place of `noble.ts` in the built package on Node (`imports` of package.json), where `node:crypto` is almost
 * always there: it loads `@noble/hashes` only when it is needed, because loading it costs a fifth of an import.
 */
export function loadNobleDigest(): Digest {
  return createRequire(import.meta.url)('./noble.cjs').nobleDigest;
}
