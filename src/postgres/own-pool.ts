import { ConfigurationError } from '../errors/local.js';
import type { PoolSource, PostgresPool } from './pool.js';

interface OwnPool extends PostgresPool {
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
}

/** A pool that is made of a connection string when it is needed, and ended when it is let go. */
export function ownPool(connectionString: string): PoolSource {
  let current: Promise<OwnPool> | undefined;
  return {
    take: () => {
      current ??= open(connectionString);
      return current;
    },
    letGo: () => {
      const letGo = current;
      current = undefined;
      return async () => {
        const pool = await letGo?.catch(() => undefined);
        await pool?.end();
      };
    },
  };
}

async function open(connectionString: string): Promise<OwnPool> {
  const { Pool } = await loadPg();
  const pool = new Pool({
    connectionString,
    application_name: 'vehicle-auction-sdk',
    keepAlive: true,
    // A program that is done may end without closing anything.
    allowExitOnIdle: true,
    connectionTimeoutMillis: 10_000,
    // A server that has vanished without a word answers nothing, for ever.
    query_timeout: 30_000,
  });
  // Idle connections may end at any time, and the pool then makes others.
  pool.on('error', () => undefined);
  return pool;
}

interface Pg {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => OwnPool;
}

/** Versions of pg without ES modules have everything under `default`. */
async function loadPg(): Promise<Pg> {
  try {
    const module: Partial<Pg> & { readonly default?: Pg } = await import('pg');
    if (module.Pool !== undefined) return { Pool: module.Pool };
    if (module.default !== undefined) return module.default;
  } catch {
    // Said below.
  }
  throw new ConfigurationError('connectionString', 'needs the package pg, which is not installed', {
    nextStep: 'Install it with `npm install pg`, or give a `pool`.',
  });
}
