import { openDatabase } from '../../../src/sqlite/database.js';
import type { SqlQuery, SqlRow, SqlValue } from '../../../src/store/sql-driver.js';

/** The tables of the store, in the order in which they are copied. */
const TABLES = [
  'vehicle_auction_meta',
  'vehicle_auction_accounts',
  'vehicle_auction_intents',
  'vehicle_auction_stakes',
  'vehicle_auction_evidence',
] as const;

/** Tells the virtual time to SQL, as a subquery so that statements stay the same and can be prepared once. */
export const NOW = '(SELECT ms FROM simulated_clock)';

/** Which SQLite runs are played on. */
export function databaseName(): string {
  const database = openDatabase(':memory:');
  database.close();
  return database.constructor.name === 'DatabaseSync' ? 'node:sqlite' : 'libsql';
}

/** Everything in the tables at one moment. */
export type Snapshot = ReadonlyMap<string, readonly SqlRow[]>;

/** The database of a run, in memory: node:sqlite where the runtime has it, else libsql. */
export class Database {
  readonly #database = openDatabase(':memory:');
  readonly #statements = new Map<
    string,
    { statement: Statement; reads: boolean; order: readonly number[] }
  >();

  constructor() {
    this.#database.exec('CREATE TABLE simulated_clock (ms INTEGER); INSERT INTO simulated_clock VALUES (0)');
  }

  /** Begins a transaction in which it is this time, Unix ms. */
  begin(ms: number): void {
    this.#database.exec('BEGIN IMMEDIATE');
    this.query('UPDATE simulated_clock SET ms = $1', [ms]);
  }

  commit(): void {
    this.#database.exec('COMMIT');
  }

  rollBack(): void {
    this.#database.exec('ROLLBACK');
  }

  readonly query = (sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] => {
    const { statement, reads, order } = this.#statements.get(sql) ?? this.#prepare(sql);
    const given = order.map((index) => values[index] ?? null);
    if (!reads) {
      statement.run(...given);
      return [];
    }
    const rows = statement.all(...given);
    return Array.isArray(rows) ? rows : [];
  };

  /** Empty where the tables are not there yet. */
  snapshot(): Snapshot {
    const made = this.query("SELECT name FROM sqlite_master WHERE name = 'vehicle_auction_meta'");
    if (made.length === 0) return new Map();
    return new Map(TABLES.map((table) => [table, this.query(`SELECT * FROM ${table}`)]));
  }

  /** Puts the tables back to what they were; ids that were given out since are not given out again. */
  restore(snapshot: Snapshot): void {
    this.#database.exec('BEGIN IMMEDIATE');
    for (const [table, rows] of snapshot) {
      this.query(`DELETE FROM ${table}`);
      for (const row of rows) {
        const names = Object.keys(row);
        const places = names.map((_, index) => `$${index + 1}`);
        const values = names.map((name) => sqlValue(row[name]));
        this.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`, values);
      }
    }
    this.commit();
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string) {
    const order: number[] = [];
    const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
      order.push(Number(number) - 1);
      return '?';
    });
    const statement = this.#database.prepare(text);
    // node:sqlite says nothing of it.
    const prepared = { statement, reads: Reflect.get(statement, 'reader') !== false, order };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

type Statement = ReturnType<ReturnType<typeof openDatabase>['prepare']>;

/** Whether a statement changes anything. */
export function isWrite(sql: string): boolean {
  return !/^\s*SELECT\b/i.test(sql);
}

/** What a query returned, for comparison with what it returns later. */
export type Asked = readonly [sql: string, values: readonly SqlValue[] | undefined, found: string];

/** Notes every statement of a transaction and what it returned. */
export function noting(query: SqlQuery, asked: Asked[]): SqlQuery {
  return async (sql, values) => {
    const rows = await query(sql, values);
    asked.push([sql, values, JSON.stringify(rows)]);
    return rows;
  };
}

function sqlValue(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  throw new Error(`A column holds ${typeof value}`);
}
