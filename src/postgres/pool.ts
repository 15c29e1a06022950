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

/** A pool that is made of a connection string when it is first needed. Once closed, the next use makes another. */
export class OwnPool implements PostgresPool {
  readonly #connectionString: string;
  #current: Promise<PgPool> | undefined;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  async connect(): Promise<PostgresConnection> {
    this.#current ??= this.#open();
    return (await this.#current).connect();
  }

  async close(): Promise<void> {
    const opened = this.#current;
    this.#current = undefined;
    await (await opened?.catch(() => undefined))?.end();
  }

  async #open(): Promise<PgPool> {
    try {
      const { Pool } = await loadPg();
      const pool = new Pool({
        connectionString: this.#connectionString,
        application_name: 'vehicle-auction-sdk',
        keepAlive: true,
        // A program that is done may end without closing anything.
        allowExitOnIdle: true,
        connectionTimeoutMillis: 10_000,
      });
      // Idle connections may end at any time, and the pool then makes others.
      pool.on('error', () => undefined);
      return pool;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }
}

interface PgPool extends PostgresPool {
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
}

interface Pg {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PgPool;
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
