import type { SqlValue } from './sql-driver.js';

/** Version of the tables below. A store with another version is refused. */
export const SCHEMA_VERSION = '2';

/** One table. Every row belongs to an account, which is the first column of each key and index. */
interface Shape {
  /** SQL types by column. */
  readonly columns: Readonly<Record<string, string>>;
  /**
   * Unique constraints of an account, by name. Rows with a null among these columns, or with an unset flag, are exempt.
   */
  readonly unique: Readonly<Record<string, { readonly columns: readonly string[]; readonly flag?: string }>>;
  /** Further indexes by name: columns, and a condition for partial ones. */
  readonly indexes?: Readonly<Record<string, string>>;
}

/** Row id that the database increments across all accounts. */
const SERIAL = 'serial';
const TEXT = 'TEXT NOT NULL';
const NUMBER = 'BIGINT NOT NULL';
const FLAG = 'INTEGER NOT NULL';
/** Columns of rows that can have an owner: see `owner.ts`. */
const OWNERSHIP = { owner: 'TEXT', owner_seen: NUMBER } as const;

export const shapes = {
  accounts: {
    columns: { halt: 'TEXT', server_ms: 'BIGINT', settled_sequence: NUMBER },
    unique: { only: { columns: [] } },
  },
  intents: {
    columns: {
      id: SERIAL,
      key: TEXT,
      state: TEXT,
      open: FLAG,
      unresolved: FLAG,
      provisional: FLAG,
      guarded: FLAG,
      lot: 'TEXT',
      buyer: 'TEXT',
      paise: 'BIGINT',
      closes_at: 'BIGINT',
      once: 'TEXT',
      ...OWNERSHIP,
      content: TEXT,
      body: 'TEXT',
      version: NUMBER,
      settled_sequence: 'BIGINT',
      settled_server_ms: 'BIGINT',
      settled_local_ms: 'BIGINT',
      shrunk: FLAG,
    },
    unique: { key: { columns: ['key'] }, guard: { columns: ['lot', 'buyer'], flag: 'guarded' } },
    indexes: {
      account: '(account, id)',
      unresolved: '(account, id) WHERE unresolved = 1',
      settled: '(account, settled_sequence) WHERE settled_sequence IS NOT NULL',
      closes: '(account, lot, closes_at) WHERE lot IS NOT NULL',
      bids: '(account, lot, buyer) WHERE lot IS NOT NULL',
      once: '(account, once, id) WHERE once IS NOT NULL',
      owner: '(account, owner) WHERE owner IS NOT NULL',
      // By server time first: a local clock that is far ahead must not make retention read all rows.
      old: '(account, settled_server_ms, settled_local_ms) WHERE unresolved = 0 AND shrunk = 0',
    },
  },
  stakes: {
    columns: { lot: TEXT, buyer: TEXT, paise: NUMBER, closes_at: 'BIGINT' },
    unique: { bid: { columns: ['lot', 'buyer'] } },
    indexes: {
      buyer: '(account, buyer, closes_at, paise)',
      lot: '(account, lot, closes_at, paise)',
    },
  },
  evidence: {
    columns: { kind: TEXT, value: TEXT, key: TEXT },
    unique: { value: { columns: ['kind', 'value'] } },
    indexes: { key: '(account, key)' },
  },
  webhook_events: {
    columns: {
      id: SERIAL,
      event_id: TEXT,
      fact: 'TEXT',
      type: TEXT,
      state: TEXT,
      resource: 'TEXT',
      resource_version: 'BIGINT',
      source: TEXT,
      body: TEXT,
      shrunk: FLAG,
      received_ms: NUMBER,
      due_ms: NUMBER,
      attempts: NUMBER,
      ...OWNERSHIP,
      error: 'TEXT',
      version: NUMBER,
    },
    unique: { event: { columns: ['event_id'] }, fact: { columns: ['fact'] } },
    indexes: {
      account: '(account, id)',
      state: '(account, state, id)',
      due: '(account, state, due_ms)',
      resource: '(account, resource, resource_version) WHERE resource IS NOT NULL',
      old: '(account, state, received_ms) WHERE shrunk = 0',
      received: '(account, state, received_ms)',
    },
  },
  audit: {
    columns: {
      id: SERIAL,
      about: TEXT,
      key: 'TEXT',
      phase: TEXT,
      at_ms: NUMBER,
      content: TEXT,
      delivered: FLAG,
    },
    unique: {},
    indexes: {
      about: '(account, about, id)',
      undelivered: '(account, id) WHERE delivered = 0',
      delivered: '(account, at_ms) WHERE delivered = 1',
      account: '(account, id)',
    },
  },
  cursors: {
    columns: { name: TEXT, value: 'TEXT', ...OWNERSHIP, version: NUMBER },
    unique: { name: { columns: ['name'] } },
  },
  commits: {
    columns: { ...OWNERSHIP, token: NUMBER },
    unique: { owner: { columns: ['owner'] } },
  },
  departures: {
    columns: {
      id: SERIAL,
      process: TEXT,
      number: NUMBER,
      lane: TEXT,
      at_ms: NUMBER,
      most: NUMBER,
      reserve: NUMBER,
    },
    unique: {},
    indexes: { account: '(account, id)' },
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type TableName = keyof typeof shapes;

export type ColumnOf<Name extends TableName> = keyof (typeof shapes)[Name]['columns'] & string;

export function shapeOf(name: TableName): Shape {
  return shapes[name];
}

/** Name of a table in the database, with a prefix because others may use the same database. */
export function tableName(name: string): string {
  return `vehicle_auction_${name}`;
}

/** Returns the statements that create the tables. @param serial column type of an id that the database increments */
export function schema(serial: string): readonly string[] {
  const meta = `CREATE TABLE IF NOT EXISTS ${tableName('meta')} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`;
  return [
    meta,
    ...Object.entries(shapes).flatMap(([name, shape]) => statements(tableName(name), shape, serial)),
  ];
}

function statements(
  table: string,
  { columns, unique, indexes = {} }: Shape,
  serial: string,
): readonly string[] {
  const types = Object.entries({ account: TEXT, ...columns }).map(
    ([column, type]) => `${column} ${type === SERIAL ? serial : type}`,
  );
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (${types.join(', ')})`,
    ...Object.entries(unique).map(([index, { columns: parts, flag }]) => {
      const which = flag === undefined ? '' : ` WHERE ${flag} = 1`;
      return `CREATE UNIQUE INDEX IF NOT EXISTS ${table}_${index} ON ${table} (${['account', ...parts].join(', ')})${which}`;
    }),
    ...Object.entries(indexes).map(
      ([index, rest]) => `CREATE INDEX IF NOT EXISTS ${table}_${index} ON ${table} ${rest}`,
    ),
  ];
}

// Rows, for every kind of store.

/** Column value that the store replaces with its current time, Unix ms. */
export const NOW = Symbol('now');

/** Values to write. Flags are booleans here, and 0 or 1 in a row. */
export type Values<Column extends string> = {
  readonly [C in Column]?: SqlValue | boolean | typeof NOW;
};

/** Condition of a column: an exact value, or a comparison. */
export type Condition = SqlValue | boolean | Comparison;

export type Comparison =
  | { readonly is: '<' | '<=' | '>'; readonly than: number }
  | { readonly is: 'IN'; readonly than: readonly SqlValue[] }
  | { readonly is: 'IS NOT'; readonly than: null };

export type Where<Column extends string> = { readonly [C in Column]?: Condition };

export interface Page<Column extends string> {
  readonly order?: readonly Column[];
  readonly descending?: boolean;
  readonly limit?: number;
  /** The columns to read; all by default. */
  readonly columns?: readonly Column[];
}

/** A row as read. If the table has owners, `silent_ms` is the time since `owner_seen`. */
export type Row<Column extends string> = { readonly [C in Column | 'silent_ms']?: unknown };

/** The rows of one account in one table, inside a transaction. */
export interface Table<Column extends string> {
  select(where: Where<Column>, page?: Page<Column>): Promise<readonly Row<Column>[]>;
  /** Adds up a column of whole numbers, exactly. */
  sum(where: Where<Column>, column: Column): Promise<bigint>;
  /** Returns undefined and writes nothing if the row violates a unique constraint. */
  insert(values: Values<Column>): Promise<Row<Column> | undefined>;
  /** @returns the updated rows */
  update(where: Where<Column>, values: Values<Column>): Promise<readonly Row<Column>[]>;
  delete(where: Where<Column>): Promise<void>;
}

/** The intents of another account. */
export interface Elsewhere {
  readonly account: string;
  readonly intents: Pick<Table<ColumnOf<'intents'>>, 'select'>;
}

/** One unit of work of one account, for the ports over its tables. */
export interface Unit {
  table<Name extends TableName>(name: Name): Table<ColumnOf<Name>>;
  /** The intents of every other account of the store, to read. */
  elsewhere(): Promise<readonly Elsewhere[]>;
  /** Runs one step. If a step fails, the whole unit fails. */
  step: Step;
}

export type Step = <T>(action: () => T | Promise<T>) => Promise<T>;

export function stringOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

export function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** A heartbeat that is further in the future than this was written by a clock that was ahead, ms. */
const LONGEST_LEAD_MS = 60_000;

/** Time since the last heartbeat. One by a clock that was ahead is ignored: a running owner soon sends another. */
export function silenceOf(row: { readonly silent_ms?: unknown }): number {
  const silence = Number(row.silent_ms);
  return silence < -LONGEST_LEAD_MS ? Number.POSITIVE_INFINITY : Math.max(0, silence);
}
