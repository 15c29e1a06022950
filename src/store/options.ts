import { ConfigurationError } from '../errors/local.js';
import { checkMethods } from '../runtime/injected.js';
import { memoryStore } from './memory.js';
import type { Store } from './store.js';

/** The store of a client. */
export interface ChosenStore {
  readonly store: Store;
  /** Why writes are refused: a production client without a store. */
  readonly refusal?: string;
  /** To be logged. */
  readonly warning?: string;
}

/** The store that the options give, or one in memory. @throws ConfigurationError */
export function chooseStore(given: Store | undefined, environment: string): ChosenStore {
  if (typeof given === 'string') {
    throw new ConfigurationError('store', 'must be a store, such as sqliteStore(path); a path alone is none');
  }
  checkMethods('store', given, ['transaction', 'close'], 'all');
  if (given === undefined) {
    const store = memoryStore();
    if (environment === 'sandbox') return { store };
    const example = 'sqliteStore("./auction.db")';
    return {
      store,
      refusal: `is required to write in production, such as ${example}: what is sent must be on record`,
    };
  }
  if (given.durable || environment === 'sandbox') return { store: given };
  const warning = 'The store is in memory: a crash loses what is known of bids and commands';
  return { store: given, warning };
}

/** Environment and label as one name, by which the store keeps intents apart. @throws ConfigurationError */
export function accountOf(environment: string, label: unknown): string {
  if (label === undefined) return environment;
  if (typeof label === 'string' && /^[\w.-]{1,60}$/.test(label)) return `${environment}/${label}`;
  throw new ConfigurationError('account', 'must be 1 to 60 letters, digits, ".", "_" or "-"');
}

/** How long the service is trusted to remember a key, ms. It is undocumented, so no longer than most services do. */
const KEY_RETENTION_MS = 3_600_000;

/** A copy of an attempt can arrive for five minutes: a shorter retention would be of no use. */
const LEAST_KEY_RETENTION_MS = 600_000;

/** @throws ConfigurationError */
export function keyRetentionOf(ms = KEY_RETENTION_MS): number {
  if (Number.isFinite(ms) && ms >= LEAST_KEY_RETENTION_MS) return ms;
  throw new ConfigurationError('keyRetention', `must be at least ${LEAST_KEY_RETENTION_MS} milliseconds`);
}

const DAY_MS = 24 * 3_600_000;

/** @throws ConfigurationError */
export function retentionOf(ms = 30 * DAY_MS): number {
  // A batch that runs again the next day must find its rows.
  if (ms >= DAY_MS) return ms;
  throw new ConfigurationError('retention', 'must be at least a day, in milliseconds');
}
