export type SqlValue = string | number | null;

/** One row of a result, by column. Integers may be numbers, bigints or decimal strings. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement; its values are named `$1`, `$2` and so on, each of them possibly more than once. */
export type SqlQuery = (
  sql: string,
  values?: readonly SqlValue[],
) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

/**
 * What a database needs to be a store. The SQL is what SQLite and Postgres share: upserts, RETURNING, partial indexes.
 * All its errors are StoreErrors; reason `schema` where a table does not exist.
 */
export interface SqlDriver {
  /** For messages, such as `SQLite (./auction.db)`. */
  readonly name: string;
  /** Whether what is committed outlives the process. */
  readonly durable: boolean;
  /** SQL for Unix ms by the database's clock. Read for each statement, so that tests can put virtual time there. */
  readonly now: string;
  /** Column type of an id that counts up and is never used again, with `PRIMARY KEY`. */
  readonly serial: string;
  /**
   * Runs work in one transaction and commits it, or rolls it back where the work rejects. Work on one account must be
   * serializable: one transaction at a time, or all but one of those that conflict are run again.
   */
  transaction<T>(account: string, work: (query: SqlQuery) => Promise<T>): Promise<T>;
  /** Closes files and connections after the work under way. A later transaction opens them again. */
  close(): Promise<void>;
}

/** One unit of work of one account, as the tables see it. */
export interface SqlUnit {
  readonly account: string;
  /** SQL for Unix ms by the database's clock. */
  readonly now: string;
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

export function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

export function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
