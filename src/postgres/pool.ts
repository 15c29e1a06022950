import { ConfigurationError } from '../errors/local.js';

/** A pool of connections, such as a `pg.Pool`. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  /** A store listens to the events of its pool while it is open. */
  on?: PoolListening;
  removeListener?: PoolListening;
}

interface PoolListening {
  (event: 'error', listener: (error: Error) => void): unknown;
  (event: 'connect' | 'remove', listener: (connection: PostgresConnection) => void): unknown;
}

/** A connection, such as a `pg.PoolClient`. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<PostgresResult | PostgresResult[]>;
  /** Returns the connection to the pool; `true` discards it instead. */
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PostgresResult {
  /** The executed command, such as `COMMIT`. */
  readonly command: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A pool while a store uses it. */
export interface StorePool extends PostgresPool {
  /** Host and port, for messages; undefined if unknown. */
  readonly host: string | undefined;
  /** Does not wait for running work. The next `connect` opens it again. */
  close(): Promise<void>;
}

/**
 * Wraps a pool of the caller. While it is open, a failed connection does not end the process: `pg` returns a connection
 * before it has listeners, and the server may end it in the same packet.
 */
export class GivenPool implements StorePool {
  readonly #pool: PostgresPool;
  readonly #connections = new Set<PostgresConnection>();
  #isListening = false;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  get host(): string | undefined {
    const { host, port, connectionString } = Object(Reflect.get(this.#pool, 'options'));
    if (typeof host === 'string' && host !== '') return `${host}:${Number(port ?? 5432)}`;
    return typeof connectionString === 'string' ? hostIn(connectionString) : undefined;
  }

  connect(): Promise<PostgresConnection> {
    if (!this.#isListening) {
      this.#isListening = true;
      this.#pool.on?.('connect', this.#listen);
      this.#pool.on?.('remove', this.#forget);
      this.#pool.on?.('error', ignore);
    }
    return this.#pool.connect();
  }

  async close(): Promise<void> {
    this.#isListening = false;
    this.#pool.removeListener?.('connect', this.#listen);
    this.#pool.removeListener?.('remove', this.#forget);
    this.#pool.removeListener?.('error', ignore);
    for (const connection of this.#connections) connection.removeListener('error', ignore);
    this.#connections.clear();
  }

  readonly #listen = (connection: PostgresConnection): void => {
    this.#connections.add(connection);
    connection.on('error', ignore);
  };

  /** The pool has ended the connection. It may fail once more, so its listener stays. */
  readonly #forget = (connection: PostgresConnection): void => {
    this.#connections.delete(connection);
  };
}

function ignore(): void {}

/** A pool that is created from a connection string on first use, and again on the first use after `close`. */
export class OwnPool implements StorePool {
  readonly #connectionString: string;
  #current: Promise<{ readonly pool: PgPool; readonly guarded: StorePool }> | undefined;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  get host(): string | undefined {
    return hostIn(this.#connectionString);
  }

  async connect(): Promise<PostgresConnection> {
    this.#current ??= this.#open();
    return (await this.#current).guarded.connect();
  }

  async close(): Promise<void> {
    const opened = this.#current;
    this.#current = undefined;
    await (await opened?.catch(() => undefined))?.pool.end();
  }

  async #open() {
    try {
      const { Pool } = await loadPg();
      const pool = new Pool({
        connectionString: this.#connectionString,
        application_name: 'vehicle-auction-sdk',
        keepAlive: true,
        // Do not keep a finished program alive.
        allowExitOnIdle: true,
        connectionTimeoutMillis: 10_000,
      });
      return { pool, guarded: new GivenPool(pool) };
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }
}

/**
 * Host and port of a connection string. Undefined if a password with an unescaped `/`, `?` or `#` could have been read as
 * one: the user name would be the host, and the rest, with the `@`, in the path.
 */
function hostIn(connectionString: string): string | undefined {
  if (!URL.canParse(connectionString)) return undefined;
  const { host, pathname, search, hash } = new URL(connectionString);
  return host === '' || `${pathname}${search}${hash}`.includes('@') ? undefined : host;
}

interface PgPool extends PostgresPool {
  end(): Promise<void>;
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
