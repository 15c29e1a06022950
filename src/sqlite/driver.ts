import type { SqlDriver, SqlQuery } from '../store/sql-driver.js';
import { Connection, fileOf, type SqliteSource } from './connection.js';
import { faultOf, isBusy, isCertain, refusal } from './faults.js';

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

/** Runs all work of one turn of the event loop in one transaction, each unit in a savepoint. */
export class SqliteDriver implements SqlDriver {
  readonly name: string;
  readonly durable: boolean;
  readonly serial = 'INTEGER PRIMARY KEY AUTOINCREMENT';
  readonly now = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
  readonly #source: SqliteSource;
  readonly #waits: SqliteWaits;
  readonly #isSynced: boolean;
  #connection: Connection | undefined;
  /** Nobody knows whether the last commit was written; nothing more is done until the store is closed. */
  #isStopped = false;
  readonly #waiting: Unit[] = [];
  #running: Promise<void> | undefined;

  /** @param isSynced false for a separate file whose last commits a power cut may lose */
  constructor(source: SqliteSource, waits: SqliteWaits, isSynced = true) {
    this.#isSynced = isSynced;
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
    this.#disconnect();
    this.#isStopped = false;
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // All work that is asked for in this turn shares the transaction.
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#waiting.splice(0, LARGEST_GROUP);
      try {
        const connection = await this.#retrying(() => this.#begin());
        group.push(...this.#waiting.splice(0, LARGEST_GROUP - group.length));
        const succeeded = await this.#runUnits(connection, group);
        await this.#commit(connection, succeeded);
        for (const unit of succeeded) unit.succeed();
      } catch (error) {
        // A unit that has failed already stays as it is.
        for (const unit of group) unit.fail(faultOf(this.name, error));
      }
    }
    this.#running = undefined;
  }

  #begin(): Connection {
    if (this.#isStopped) {
      throw refusal(
        'stopped',
        `${this.name} has stopped: an earlier commit failed, and may or may not have been written.`,
        'Check the disk, then close() the store: the next use opens it again.',
      );
    }
    if (this.#connection === undefined) {
      this.#connection = new Connection(this.name, this.#source);
      if (!this.#isSynced) this.#connection.database.exec('PRAGMA synchronous = OFF');
    }
    this.#connection.checkFile();
    this.#connection.database.exec('BEGIN IMMEDIATE');
    return this.#connection;
  }

  /** Rejects the units that fail, and undoes what they wrote. @returns the others */
  async #runUnits(connection: Connection, group: readonly Unit[]): Promise<readonly Unit[]> {
    const { database } = connection;
    const succeeded: Unit[] = [];
    try {
      for (const unit of group) {
        database.exec('SAVEPOINT unit');
        try {
          await unit.run((sql, values) => connection.query(sql, values));
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
    } catch (error) {
      // An open transaction would hold the lock. The next connection to the file undoes what was not committed.
      if (!connection.rollBack()) this.#disconnect();
      throw error;
    }
    return succeeded;
  }

  async #commit(connection: Connection, succeeded: readonly Unit[]): Promise<void> {
    try {
      await this.#retrying(() => connection.database.exec(succeeded.length > 0 ? 'COMMIT' : 'ROLLBACK'));
    } catch (error) {
      const isUndone = connection.rollBack() && isCertain(error) && connection.isReadable();
      if (!isUndone) {
        this.#isStopped = true;
        this.#disconnect();
      }
      throw faultOf(this.name, error, isUndone ? 'failed' : 'unknown');
    }
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
