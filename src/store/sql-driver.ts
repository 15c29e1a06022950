export type SqlValue = string | number | null;

/** One row of a result, by column. Integers may be numbers, bigints or decimal strings. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement; its values are named `$1`, `$2` and so on, each of them possibly more than once. */
export type SqlQuery = (
  sql: string,
  values?: readonly SqlValue[],
) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

/**
 * What a database needs to be a store. The SQL is what SQLite and Postgres share: `ON CONFLICT DO NOTHING`, `RETURNING`,
 * partial indexes. All its errors are StoreErrors; reason `schema` where a table does not exist.
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
  /** Closes files and connections once pending work is done. A later transaction opens them again. */
  close(): Promise<void>;
}
