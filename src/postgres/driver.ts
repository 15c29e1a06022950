import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { sleep } from '../runtime/timers.js';
import { sha256Hex } from '../signing/signer.js';
import type { SqlDriver, SqlQuery, SqlValue } from '../store/sql-driver.js';
import { faultOf, isLost, isRolledBack, mayRetry } from './faults.js';
import type { PostgresConnection, PostgresPool, PostgresResult, StorePool } from './pool.js';

export interface PostgresWaits {
  readonly clock: Pick<Clock, 'after'>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Time limit of a transaction with all its attempts, even if the server hangs. */
const LONGEST_MS = 45_000;

const MOST_TRIES = 5;

/**
 * Uses READ COMMITTED and one advisory lock per account, not SERIALIZABLE: halt, limits and the guard against a second bid
 * make all work on an account conflict anyway, and a lock orders it without running any of it again. Each statement after
 * the lock sees everything that was committed before it.
 */
export class PostgresDriver implements SqlDriver {
  readonly name: string;
  readonly durable = true;
  readonly now = '(CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT))';
  readonly serial = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY';
  readonly #pool: StorePool;
  readonly #waits: PostgresWaits;
  readonly #isSynced: boolean;
  /** The last transaction of each account. Queuing here prevents waiting transactions from filling the pool. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** @param isSynced false for data that a power failure may lose */
  constructor(pool: StorePool, waits: PostgresWaits, isSynced = true) {
    this.name = pool.host === undefined ? 'Postgres' : `Postgres (${pool.host})`;
    this.#pool = pool;
    this.#waits = waits;
    this.#isSynced = isSynced;
  }

  async transaction<T>(account: string, work: (query: SqlQuery) => Promise<T>): Promise<T> {
    const deadline = new Deadline(this.#waits.clock);
    const before = this.#turns.get(account);
    // Earlier transactions have earlier deadlines, so waiting for them needs no limit.
    const run = Promise.resolve(before).then(() => this.#tries(account, work, deadline));
    const turn = run.then(ignore, ignore);
    this.#turns.set(account, turn);
    try {
      return await run;
    } finally {
      deadline.cancel();
      if (this.#turns.get(account) === turn) this.#turns.delete(account);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
    await this.#pool.close();
  }

  async #tries<T>(account: string, work: (query: SqlQuery) => Promise<T>, deadline: Deadline): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const attempt = new Attempt(this.name, deadline);
      try {
        return await attempt.run(this.#pool, beginning(account, this.#isSynced), work);
      } catch (error) {
        const isOver = attempt.isUnknown || deadline.isOver || tries === MOST_TRIES;
        if (isOver || attempt.failure === undefined || !mayRetry(attempt.failure.error)) throw error;
      }
      const ms = this.#waits.random() * 50 * 2 ** tries;
      await sleep(this.#waits.clock, ms);
    }
  }
}

/** One attempt of a transaction, on one connection. */
class Attempt {
  /** Name of the database, for messages. */
  readonly #name: string;
  readonly #deadline: Deadline;
  /** The error of the pool or the connection, if any. */
  failure: { readonly error: unknown } | undefined;
  /** True if it may have been committed although it failed. */
  isUnknown = false;

  constructor(name: string, deadline: Deadline) {
    this.#name = name;
    this.#deadline = deadline;
  }

  async run<T>(pool: PostgresPool, begin: string, work: (query: SqlQuery) => Promise<T>): Promise<T> {
    const connection = await this.#connect(pool);
    let isBroken = false;
    connection.on('error', ignore);
    const ask = (text: string, values?: readonly SqlValue[]) => this.#ask(connection, text, values);
    try {
      await ask(begin);
      const result = await work(async (sql, values) => (await ask(sql, values)).rows);
      await this.#commit(ask);
      return result;
    } catch (error) {
      isBroken = this.isUnknown || (this.failure !== undefined && isLost(this.failure.error));
      if (!isBroken) {
        isBroken = await this.#deadline.race(connection.query('ROLLBACK')).then(
          () => false,
          () => true,
        );
      }
      throw error;
    } finally {
      connection.removeListener('error', ignore);
      connection.release(isBroken);
    }
  }

  async #connect(pool: PostgresPool): Promise<PostgresConnection> {
    // Within a promise, because pg throws at once if it can't read the connection string.
    const connecting = Promise.resolve().then(() => pool.connect());
    try {
      return await this.#deadline.race(connecting);
    } catch (error) {
      // A connection that comes too late is returned to the pool.
      connecting.then((connection) => connection.release()).catch(ignore);
      if (error instanceof ConfigurationError) throw error;
      this.failure = { error };
      throw faultOf(error, this.#name);
    }
  }

  async #ask(
    connection: PostgresConnection,
    text: string,
    values?: readonly SqlValue[],
  ): Promise<PostgresResult> {
    try {
      const result = await this.#deadline.race(connection.query(text, values && [...values]));
      const last = Array.isArray(result) ? result.at(-1) : result;
      return last ?? { command: '', rows: [] };
    } catch (error) {
      this.failure = { error };
      throw faultOf(error, this.#name);
    }
  }

  async #commit(ask: (text: string) => Promise<PostgresResult>): Promise<void> {
    let command: string;
    try {
      // A statement timeout would end the wait for a synchronous standby as if the standby had answered.
      ({ command } = await ask('SET LOCAL statement_timeout TO 0; COMMIT'));
    } catch (error) {
      this.isUnknown = !isRolledBack(this.failure?.error);
      throw this.isUnknown ? faultOf(this.failure?.error ?? error, this.#name, 'unknown') : error;
    }
    if (command !== 'COMMIT') throw faultOf(new Error('it rolled back instead of committing'), this.#name);
  }
}

/** Begins a transaction, whatever the settings of the server, the role and the database. */
function beginning(account: string, isSynced: boolean): string {
  const lock = BigInt.asIntN(64, BigInt(`0x${sha256Hex(`vehicle-auction-sdk ${account}`).slice(0, 16)}`));
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    `SET LOCAL synchronous_commit TO ${isSynced ? 'on' : 'off'}`,
    "SET LOCAL lock_timeout TO '20s'",
    "SET LOCAL statement_timeout TO '30s'",
    // A process that has vanished must not hold the lock for long.
    "SET LOCAL idle_in_transaction_session_timeout TO '15s'",
    `SELECT pg_advisory_xact_lock(${lock})`,
  ].join('; ');
}

/** Ends every wait of one transaction. */
class Deadline {
  readonly #expired: Promise<never>;
  readonly cancel: () => void;
  isOver = false;

  constructor(clock: Pick<Clock, 'after'>) {
    let expire: (error: Error) => void = ignore;
    this.#expired = new Promise((_, reject) => {
      expire = reject;
    });
    this.#expired.catch(ignore);
    this.cancel = clock.after(LONGEST_MS, () => {
      this.isOver = true;
      expire(new Error(`no answer within ${LONGEST_MS / 1000} s`));
    });
  }

  race<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#expired]);
  }
}

function ignore(): void {}
