import { ConfigurationError } from '../errors/local.js';
import { ownPool } from './own-pool.js';
import { givenPool, type PoolSource, type PostgresPool } from './pool.js';

/** Which database, and where in it. Either `pool` or `connectionString`. */
export type PostgresOptions = (
  | {
      /** A `pg.Pool`. It stays yours: nothing here ends it, and its `error` event is for you to listen to. */
      readonly pool: PostgresPool;
      readonly connectionString?: undefined;
    }
  | {
      /** `postgres://user:password@host/database`: a pool is made of it with the package `pg`, and ended by `close()`. */
      readonly connectionString: string;
      readonly pool?: undefined;
    }
) & {
  /** The schema that the tables lie in, made where there is none; `vehicle_auction` when left out. */
  readonly schema?: string | undefined;
  /** False where `migrate()` is called by somebody with more rights; otherwise the first use does it. */
  readonly migrate?: boolean | undefined;
};

/** @throws ConfigurationError */
export function poolOf({ pool, connectionString }: PostgresOptions): PoolSource {
  if (pool !== undefined && connectionString !== undefined) {
    throw new ConfigurationError('connectionString', 'is given beside a pool');
  }
  if (pool !== undefined) {
    if (typeof pool?.connect === 'function') return givenPool(pool);
    throw new ConfigurationError('pool', 'must be a pg.Pool');
  }
  if (typeof connectionString === 'string' && connectionString.trim() !== '')
    return ownPool(connectionString);
  throw new ConfigurationError('pool', 'is missing, and so is connectionString');
}
