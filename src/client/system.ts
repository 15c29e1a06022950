import { v4 } from 'uuid';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Randomness } from '../ports/randomness.js';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  },
};

/** What a timer of the runtime can hold, 24 days; more would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The machine's own randomness. A UUID v4 has 122 random bits, and its text is a legal nonce. */
export const systemRandomness: Randomness = {
  uuid: () => v4(),
  nonce: () => v4(),
  fraction: () => Math.random(),
};

/** Lines on the console, each with its fields. */
export const consoleLogger: Logger = {
  error: (message, fields) => console.error(`[vehicle-auction] ${message}`, fields ?? ''),
  warn: (message, fields) => console.warn(`[vehicle-auction] ${message}`, fields ?? ''),
  info: (message, fields) => console.info(`[vehicle-auction] ${message}`, fields ?? ''),
  debug: (message, fields) => console.debug(`[vehicle-auction] ${message}`, fields ?? ''),
};
