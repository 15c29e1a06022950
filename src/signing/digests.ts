import { nativeDigests } from './digest-native.js';
import { nobleDigests } from './digest-noble.js';
import type { Digests } from './digest-port.js';

/** Native where the runtime has `node:crypto` (chosen once, here), else the portable implementation. */
export const digests: Digests = nativeDigests() ?? nobleDigests;
