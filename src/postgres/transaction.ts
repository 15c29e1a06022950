import { DatabaseFailure, failureOf } from './failure.js';
import type { PostgresConnection, PostgresPool, PostgresResult } from './pool.js';

export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement, or several where there are no values. @returns the rows of one statement. */
export type Query = (text: string, values?: readonly Value[]) => Promise<readonly Row[]>;

/** What a statement is given. All else would be left to what pg makes of it. */
export type Value = string | boolean | null | readonly string[];

/**
 * Does work in a transaction, and resolves when it is committed and synced to disk. A deadlock, or a connection that is
 * found dead, is no fault of the work: it is done again, from its beginning.
 */
export function inTransaction<Result>(
  pool: PostgresPool,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  return tryingAgain(pool, async (taken, begun) => {
    try {
      await taken.ask(BEGIN);
      begun();
      const result = await work((text, values) => taken.rowsOf(text, values));
      const { command } = await taken.ask('COMMIT');
      if (command === 'COMMIT') return result;
      throw new DatabaseFailure('unavailable', 'Postgres did not commit.', 'Nothing was written; try again.');
    } catch (error) {
      if (!taken.isBroken) await taken.ask('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

/** Reads, each statement by itself. */
export function inPassing<Result>(
  pool: PostgresPool,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  return tryingAgain(pool, (taken) => work((text, values) => taken.rowsOf(text, values)));
}

/** The text in a column. @throws DatabaseFailure where there is none */
export function textIn(row: Row | undefined, column: string): string {
  const text = row?.[column];
  if (typeof text === 'string') return text;
  throw new DatabaseFailure(
    'damaged',
    `A row lacks its ${column}.`,
    'Find out who else writes into these tables, before anything more is sent.',
  );
}

/**
 * Whatever the settings of the server, the role or the database: what is committed is on disk, each statement sees what
 * was committed before it, and a process that has vanished holds no locks for long.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit TO on;
SET LOCAL idle_in_transaction_session_timeout TO '15s'`;

const ATTEMPTS = 4;

async function tryingAgain<Result>(
  pool: PostgresPool,
  work: (taken: Taken, begun: () => void) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const taken = await Taken.from(pool);
    let hasBegun = false;
    try {
      return await work(taken, () => {
        hasBegun = true;
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof DatabaseFailure)) throw error;
      if (!error.isTransient && (hasBegun || !error.isLost)) throw error;
    } finally {
      taken.giveBack();
    }
  }
}

/** A connection of the pool, for a while. */
class Taken {
  readonly #connection: PostgresConnection;
  /** True where it is of no use to anybody any more. */
  isBroken = false;

  static async from(pool: PostgresPool): Promise<Taken> {
    try {
      return new Taken(await pool.connect());
    } catch (error) {
      throw failureOf(error);
    }
  }

  private constructor(connection: PostgresConnection) {
    this.#connection = connection;
    // Nobody else listens while it is taken, and a process ends by an error event that nobody listens to.
    connection.on('error', ignore);
  }

  async ask(text: string, values?: readonly Value[]): Promise<PostgresResult> {
    try {
      return await this.#connection.query(text, values && [...values]);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.isLost || !failure.isOfServer) this.isBroken = true;
      throw failure;
    }
  }

  async rowsOf(text: string, values?: readonly Value[]): Promise<readonly Row[]> {
    const { rows } = await this.ask(text, values);
    return rows;
  }

  giveBack(): void {
    this.#connection.removeListener('error', ignore);
    this.#connection.release(this.isBroken);
  }
}

function ignore(): void {}
