import { ConfigurationError } from '../errors/local.js';

/** What is needed of a pool of connections; a `pg.Pool` is one. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** What is needed of a connection; a `pg.PoolClient` is one. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<PostgresResult | PostgresResult[]>;
  /** Gives it back; with true it is thrown away instead. */
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PostgresResult {
  /** What was done, such as `COMMIT`. */
  readonly command: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Where connections come from. */
export interface PoolSource {
  take(): Promise<PostgresPool>;
  /** Ends a pool that is ours; a later `take` makes another. */
  close(): Promise<void>;
}

export function givenPool(pool: PostgresPool): PoolSource {
  return { take: async () => pool, close: async () => undefined };
}

/** A pool that is made of a connection string when it is first needed. */
export function ownPool(connectionString: string): PoolSource {
  let current: Promise<OwnPool> | undefined;
  return {
    take() {
      if (current !== undefined) return current;
      const opening = open(connectionString);
      current = opening;
      opening.catch(() => {
        if (current === opening) current = undefined;
      });
      return opening;
    },
    async close() {
      const opened = current;
      current = undefined;
      await (await opened?.catch(() => undefined))?.end();
    },
  };
}

interface OwnPool extends PostgresPool {
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
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
    // Reported below.
  }
  throw new ConfigurationError('connectionString', 'needs the package pg, which is not installed', {
    nextStep: 'Install it with `npm install pg`, or pass a `pool`.',
  });
}
