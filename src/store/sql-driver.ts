export type SqlValue = string | number | null;

/** One row of a result, by column. Integers may be numbers, bigints or decimal strings. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement. Its values are `$1`, `$2` and so on; a value may occur more than once. */
export type SqlQuery = (
  sql: string,
  values?: readonly SqlValue[],
) => readonly SqlRow[] | Promise<readonly SqlRow[]>;

/**
 * Connects a database to `sqlStore`. The SQL is common to SQLite and Postgres: `ON CONFLICT DO NOTHING`, `RETURNING`,
 * partial indexes. All errors must be StoreErrors, with reason `schema` if a table does not exist.
 */
export interface SqlDriver {
  /** For messages, such as `SQLite (./auction.db)`. */
  readonly name: string;
  /** True if committed data outlives the process. */
  readonly durable: boolean;
  /** SQL for Unix ms by the database's clock. Read for each statement, so that tests can put virtual time there. */
  readonly now: string;
  /** Column type of an incrementing id that is never reused, with `PRIMARY KEY`. */
  readonly serial: string;
  /**
   * Runs work in one transaction. Commits it, or rolls it back if the work rejects. Work on one account must be serializable:
   * run one transaction at a time, or rerun those that conflict.
   */
  transaction<T>(account: string, work: (query: SqlQuery) => Promise<T>): Promise<T>;
  /** Closes files and connections after pending work. A later transaction opens them again. */
  close(): Promise<void>;
}
