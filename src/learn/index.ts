export { undiciTransport } from '../core/transport/undici.js';
export { learn } from './learn.js';
export { countsOf, merged, parseProfileFile, withSummary } from './profile.js';
