/** What is needed of a pool of connections; a `pg.Pool` is one. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** What is needed of a connection; a `pg.PoolClient` is one. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
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
  /** The pool to use from now until `letGo`. */
  take(): Promise<PostgresPool>;
  /** Parts with the pool at once: whoever takes next gets another. @returns what ends it, once nobody uses it. */
  letGo(): () => Promise<void>;
}

/** A pool that belongs to somebody else, who ends it. */
export function givenPool(pool: PostgresPool): PoolSource {
  return { take: async () => pool, letGo: () => async () => undefined };
}
