import type { SqlDriver, SqlQuery } from '../store/sql.js';
import {
  type Connection,
  discard,
  fileOf,
  join,
  leave,
  type PreparedStatement,
  rowsOf,
  type SqliteSource,
} from './connection.js';
import type { SqliteDatabase } from './database.js';
import { faultOf, isBusy, isCertain, refusal } from './faults.js';
import { checkIdentity } from './file.js';

/** How to wait for a lock. */
export interface SqliteWaits {
  readonly delay: (ms: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Longest wait for a lock of another program, ms. */
  readonly lockTimeout: number;
}

/** A unit of work that waits for a transaction. */
interface Unit {
  run(query: SqlQuery): Promise<void>;
  succeed(): void;
  fail(error: unknown): void;
}

/** The most units that share a commit; more would block the event loop for long. */
const LARGEST_GROUP = 100;

/** The most prepared statements to keep: in virtual time, each moment has its own SQL. */
const MOST_STATEMENTS = 200;

/** Runs all work of one turn of the event loop in one transaction, each unit in a savepoint. */
export class SqliteDriver implements SqlDriver {
  readonly name: string;
  readonly durable: boolean;
  readonly serial = 'INTEGER PRIMARY KEY AUTOINCREMENT';
  readonly now = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
  readonly #source: SqliteSource;
  readonly #waits: SqliteWaits;
  #connection: Connection | undefined;
  readonly #waiting: Unit[] = [];
  #running: Promise<void> | undefined;

  constructor(source: SqliteSource, waits: SqliteWaits) {
    this.#source = source;
    this.#waits = waits;
    const file = typeof source === 'string' ? source : fileOf(source.database);
    this.name = `SQLite (${file ?? 'in memory'})`;
    this.durable = file !== undefined;
  }

  transaction<T>(_account: string, work: (query: SqlQuery) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let succeed = () => {};
      this.#waiting.push({
        run: async (query) => {
          const value = await work(query);
          succeed = () => resolve(value);
        },
        succeed: () => succeed(),
        fail: reject,
      });
      this.#running ??= this.#run();
    });
  }

  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) leave(connection, this);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // All work that is asked for in this turn shares the transaction.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#runGroup(this.#waiting.splice(0, LARGEST_GROUP));
    }
    this.#running = undefined;
  }

  async #runGroup(group: Unit[]): Promise<void> {
    try {
      const connection = await this.#retrying(() => this.#connect());
      const turn = connection.turn.then(() => this.#inTurn(connection, group));
      connection.turn = turn;
      await turn;
    } catch (error) {
      for (const unit of group) unit.fail(faultOf(this.name, error));
    }
  }

  #connect(): Connection {
    if (this.#connection === undefined || this.#connection.state === 'closed') {
      this.#connection = join(this.name, this.#source, this);
    }
    return this.#connection;
  }

  async #inTurn(connection: Connection, group: Unit[]): Promise<void> {
    const { database } = connection;
    let hasBegun = false;
    let succeeded: readonly Unit[];
    try {
      await this.#retrying(() => {
        this.#check(connection);
        database.exec('BEGIN IMMEDIATE');
      });
      hasBegun = true;
      group.push(...this.#waiting.splice(0, LARGEST_GROUP - group.length));
      succeeded = await this.#runUnits(connection, group);
    } catch (error) {
      // An open transaction would hold the lock. The next connection to the file undoes what was not committed.
      if (hasBegun && !rollBack(database)) discard(connection);
      for (const unit of group) unit.fail(faultOf(this.name, error));
      return;
    }
    try {
      await this.#retrying(() => database.exec(succeeded.length > 0 ? 'COMMIT' : 'ROLLBACK'));
    } catch (error) {
      const isUndone = rollBack(database) && isCertain(error) && isReadable(database);
      if (!isUndone) discard(connection, 'stopped');
      const fault = faultOf(this.name, error, isUndone ? 'failed' : 'unknown');
      for (const unit of succeeded) unit.fail(fault);
      return;
    }
    for (const unit of succeeded) unit.succeed();
  }

  /** Rejects the units that fail, and undoes what they wrote. @returns the others */
  async #runUnits(connection: Connection, group: readonly Unit[]): Promise<readonly Unit[]> {
    const { database } = connection;
    const query = this.#queryOf(connection);
    const succeeded: Unit[] = [];
    for (const unit of group) {
      database.exec('SAVEPOINT unit');
      try {
        await unit.run(query);
        database.exec('RELEASE unit');
        succeeded.push(unit);
      } catch (error) {
        try {
          database.exec('ROLLBACK TO unit; RELEASE unit');
        } catch {
          // SQLite ended the whole transaction, as it does on a full disk.
          throw error;
        }
        unit.fail(error);
      }
    }
    return succeeded;
  }

  #queryOf({ database, statements }: Connection): SqlQuery {
    return (sql, values = []) => {
      try {
        const { statement, order } = statements.get(sql) ?? prepare(sql);
        const given = order.map((index) => values[index] ?? null);
        // libsql and better-sqlite3 refuse `all` for a statement without rows.
        if (Reflect.get(statement, 'reader') !== false) return rowsOf(statement.all(...given));
        statement.run(...given);
        return [];
      } catch (error) {
        throw faultOf(this.name, error);
      }
    };

    function prepare(sql: string): PreparedStatement {
      if (statements.size >= MOST_STATEMENTS) statements.clear();
      // better-sqlite3 treats a numbered parameter as a named one.
      const order: number[] = [];
      const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
        order.push(Number(number) - 1);
        return '?';
      });
      const prepared = { statement: database.prepare(text), order };
      statements.set(sql, prepared);
      return prepared;
    }
  }

  #check({ state, file }: Connection): void {
    if (state === 'stopped') {
      throw refusal(
        'stopped',
        `${this.name} has stopped: an earlier commit failed, and may or may not have been written.`,
        'Check the disk, then close() the store: the next use opens it again.',
      );
    }
    if (file !== undefined) checkIdentity(this.name, file);
  }

  /** Waits between tries for a lock that another program holds. */
  async #retrying<T>(action: () => T): Promise<T> {
    const { delay, random, lockTimeout } = this.#waits;
    let waited = 0;
    for (let most = 2; ; most = Math.min(most * 2, 32)) {
      try {
        return action();
      } catch (error) {
        if (!isBusy(error) || waited >= lockTimeout) throw error;
      }
      const ms = 1 + random() * most;
      await delay(ms);
      waited += ms;
    }
  }
}

/** @returns whether no transaction is open afterwards */
function rollBack(database: SqliteDatabase): boolean {
  try {
    database.exec('ROLLBACK');
    return true;
  } catch (error) {
    // SQLite rolled back already.
    return error instanceof Error && error.message.includes('no transaction is active');
  }
}

/** Reads the file, which also completes a rollback that it still needs. @returns whether that worked */
function isReadable(database: SqliteDatabase): boolean {
  try {
    database.prepare('SELECT COUNT(*) FROM sqlite_master').all();
    return true;
  } catch {
    return false;
  }
}
