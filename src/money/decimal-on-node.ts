import { createRequire } from 'node:module';
import type { BigConstructor } from 'big.js';

/**
 * Takes the place of `decimal.ts` in the built package on Node (`imports` of package.json): it loads big.js with the
 * first percentage, because few programs calculate one and loading it costs a tenth of an import.
 */
export function loadBig(): BigConstructor {
  return createRequire(import.meta.url)('big.js');
}
