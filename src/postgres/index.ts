import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { systemClock } from '../runtime/timers.js';
import { sqlStore } from '../store/sql.js';
import type { Store } from '../store/store.js';
import { PostgresDriver } from './driver.js';
import { GivenPool, OwnPool, type PostgresPool, type StorePool } from './pool.js';

export type { PostgresConnection, PostgresPool, PostgresResult } from './pool.js';

/** Options of a Postgres store: either `pool` or `connectionString`. */
export type PostgresSource =
  | {
      /** A `pg.Pool`. The store doesn't end it. While the store is open, failed connections do not end the process. */
      readonly pool: PostgresPool;
      readonly connectionString?: undefined;
    }
  | {
      /** `postgres://user:password@host/database`: makes a pool with the package `pg`, which `close()` ends. */
      readonly connectionString: string;
      readonly pool?: undefined;
    };

export interface PostgresStoreOptions {
  /** For tests in virtual time. */
  readonly clock?: Pick<Clock, 'after'> | undefined;
  /** Returns a number from 0 to 1 for the jitter of retries. For tests. */
  readonly random?: (() => number) | undefined;
}

/**
 * Creates a store in Postgres, for processes on many machines.
 *
 * The names of its tables begin with `vehicle_auction_`, in the first schema of the `search_path`. The first use creates
 * them; a role without the right to do so can use existing tables.
 *
 * @throws ConfigurationError; the first transaction rejects with a StoreError if the database can't be used
 */
export function postgresStore(source: PostgresSource, options: PostgresStoreOptions = {}): Store {
  const pool = poolOf(source);
  const waits = { clock: options.clock ?? systemClock, random: options.random ?? Math.random };
  const departures = new PostgresDriver(pool, waits, false);
  return sqlStore(new PostgresDriver(pool, waits), { departures });
}

function poolOf(source: PostgresSource): StorePool {
  // Also undefined, or the connection string itself, without a compiler.
  const { pool, connectionString }: Partial<PostgresSource> = Object(source);
  if (pool !== undefined && connectionString !== undefined) {
    throw new ConfigurationError('connectionString', 'must not be given together with a pool');
  }
  if (pool !== undefined) {
    if (typeof pool?.connect === 'function') return new GivenPool(pool);
    throw new ConfigurationError('pool', 'must be a pg.Pool');
  }
  if (typeof connectionString === 'string' && connectionString.trim() !== '')
    return new OwnPool(connectionString);
  throw new ConfigurationError(
    'pool',
    'is missing: use postgresStore({ pool }) or postgresStore({ connectionString })',
  );
}
