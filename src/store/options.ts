import { ConfigurationError } from '../errors/local.js';
import { checkMethods } from '../runtime/injected.js';
import { memoryStore } from './memory.js';
import type { Store } from './store.js';

/** The store of a client. */
export interface ChosenStore {
  readonly store: Store;
  /** Reason why writes are refused: a production client has no store. */
  readonly refusal?: string;
  /** Warning to log. */
  readonly warning?: string;
}

/** Returns the given store, or one in memory. @throws ConfigurationError */
export function chooseStore(given: Store | undefined, environment: string): ChosenStore {
  if (typeof given === 'string') {
    throw new ConfigurationError('store', 'must be a store such as sqliteStore(path), not a path');
  }
  checkMethods('store', given, ['transaction', 'close'], 'all');
  if (given === undefined) {
    const store = memoryStore();
    if (environment === 'sandbox') return { store };
    const example = 'sqliteStore("./auction.db")';
    return {
      store,
      refusal: `is required to write in production, such as ${example}: bids and commands must be recorded before they are sent`,
    };
  }
  if (given.durable || environment === 'sandbox') return { store: given };
  const warning = 'The store is in memory: a crash loses the records of bids and commands';
  return { store: given, warning };
}

/** Combines environment and label into the account of the store, which separates intents. @throws ConfigurationError */
export function accountOf(environment: string, label: unknown): string {
  if (label === undefined) return environment;
  if (typeof label === 'string' && /^[\w.-]{1,60}$/.test(label)) return `${environment}/${label}`;
  throw new ConfigurationError('account', 'must be 1 to 60 letters, digits, ".", "_" or "-"', {
    given: label,
  });
}

/** Default time that the service is trusted to remember a key, ms. Undocumented, so no longer than most services. */
const KEY_RETENTION_MS = 3_600_000;

/** A copy of an attempt can arrive for five minutes, so a shorter retention would be useless. */
const LEAST_KEY_RETENTION_MS = 600_000;

/** @throws ConfigurationError */
export function keyRetentionOf(ms = KEY_RETENTION_MS): number {
  if (Number.isFinite(ms) && ms >= LEAST_KEY_RETENTION_MS) return ms;
  throw new ConfigurationError('keyRetention', `must be at least ${LEAST_KEY_RETENTION_MS} milliseconds`, {
    given: ms,
  });
}

const DAY_MS = 24 * 3_600_000;

/** @throws ConfigurationError */
export function retentionOf(ms = 30 * DAY_MS, option = 'retention'): number {
  // A batch that is run again the next day must find its rows.
  if (typeof ms === 'number' && ms >= DAY_MS) return ms;
  const problem = 'must be at least a day, in milliseconds, or Infinity';
  throw new ConfigurationError(option, problem, { given: ms });
}
