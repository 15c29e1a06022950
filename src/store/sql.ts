import { StoreError } from '../errors/store.js';
import { type StoreProcess, thisProcess } from './owner.js';
import {
  type Condition,
  NOW,
  SCHEMA_VERSION,
  schema,
  shapeOf,
  type Table,
  type TableName,
  tableName,
  type Values,
  type Where,
} from './schema.js';
import type { SqlDriver, SqlQuery, SqlRow, SqlValue } from './sql-driver.js';
import {
  type DepartureEntry,
  type DepartureLog,
  type DeparturePage,
  KEPT_MS,
  readIfUnknown,
  runUnit,
  type Store,
  type StoreTransaction,
} from './store.js';

export interface SqlStoreOptions {
  /** Store of the shared quota's departures, which need no sync. Defaults to the same database. */
  readonly departures?: SqlDriver | undefined;
  /** For tests that simulate several processes. */
  readonly process?: StoreProcess | undefined;
}

/** Creates a store in a SQL database. Its tables are created on first use. */
export function sqlStore(
  driver: SqlDriver,
  { process = thisProcess(), departures = driver }: SqlStoreOptions = {},
): Store {
  const main = new Database(driver);
  const quota = departures === driver ? main : new Database(departures);
  return {
    name: driver.name,
    durable: driver.durable,
    process,
    departures: driver.durable
      ? sqlDepartures(departures, (scope, work) => quota.transaction(scope, work))
      : undefined,
    transaction: (account, work) =>
      main.transaction(account, (query) =>
        runUnit((step) => {
          const stepped: NonNullable<StoreTransaction['query']> = (sql, values) =>
            step(() => query(sql, values));
          return {
            table: (name) => sqlTable(name, account, driver.now, stepped),
            elsewhere: async () => {
              const others = await stepped(
                `SELECT account FROM ${tableName('accounts')} WHERE account <> $1 ORDER BY account`,
                [account],
              );
              return others.map((row) => {
                const other = String(row['account']);
                return { account: other, intents: sqlTable('intents', other, driver.now, stepped) };
              });
            },
            query: stepped,
          };
        }, work),
      ),
    async close() {
      await main.close();
      if (quota !== main) await quota.close();
    },
  };
}

/** A database whose tables are created on first use. */
class Database {
  readonly #driver: SqlDriver;
  #ready: Promise<void> | undefined;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async transaction<T>(account: string, work: (query: SqlQuery) => Promise<T>): Promise<T> {
    this.#ready ??= this.#prepare();
    const run = this.#ready.then(() => this.#driver.transaction(account, work));
    this.#underWay.add(run);
    try {
      return await run;
    } finally {
      this.#underWay.delete(run);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    this.#ready = undefined;
    await this.#driver.close();
  }

  #prepare(): Promise<void> {
    const preparing = prepareTables(this.#driver);
    // After a failure, the next use tries again.
    preparing.catch(() => {
      if (this.#ready === preparing) this.#ready = undefined;
    });
    return preparing;
  }
}

/** Reads the version first, so that a role without the right to create tables can use existing ones. */
async function prepareTables(driver: SqlDriver): Promise<void> {
  let version: string | undefined;
  try {
    version = await driver.transaction('', readVersion);
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'schema')) throw error;
  }
  version ??= await driver.transaction('', async (query) => {
    for (const statement of schema(driver.serial)) await query(statement);
    await query(
      `INSERT INTO ${tableName('meta')} (name, value) VALUES ('schema', $1) ON CONFLICT (name) DO NOTHING`,
      [SCHEMA_VERSION],
    );
    return readVersion(query);
  });
  if (version === SCHEMA_VERSION) return;
  throw new StoreError({
    reason: 'schema',
    what: `${driver.name} can't be used: its tables have version ${version ?? 'none'}, and this package knows ${SCHEMA_VERSION}.`,
    nextStep: 'Use the version of the package that created them, or another place for the store.',
  });
}

async function readVersion(query: SqlQuery): Promise<string | undefined> {
  const [row] = await query(`SELECT value FROM ${tableName('meta')} WHERE name = 'schema'`);
  return row === undefined ? undefined : String(row['value']);
}

/** One table of one account, as portable statements. */
function sqlTable(table: TableName, account: string, now: string, query: SqlQuery): Table<string> {
  const name = tableName(table);
  const columns = readColumns(table, now);
  const which = (where: Where<string>, values: SqlValue[]) => {
    const conditions = Object.entries({ account, ...where });
    return `WHERE ${conditions.map(([column, condition]) => compared(column, condition, values)).join(' AND ')}`;
  };
  const spelled = (value: Values<string>[string], values: SqlValue[]) => {
    if (typeof value === 'boolean') return String(Number(value));
    return value === NOW ? now : placeholder(value ?? null, values);
  };
  return {
    async select(where, { order = [], descending, limit, columns: only } = {}) {
      const values: SqlValue[] = [];
      const read = only === undefined ? columns : only.map(columnRead).join(', ');
      const rows = which(where, values);
      const direction = descending === true ? ' DESC' : '';
      const sorted =
        order.length === 0 ? '' : ` ORDER BY ${order.map((column) => column + direction).join(', ')}`;
      const most = limit === undefined ? '' : ` LIMIT ${placeholder(limit, values)}`;
      return query(`SELECT ${read} FROM ${name} ${rows}${sorted}${most}`, values);
    },
    async sum(where, column) {
      const values: SqlValue[] = [];
      const rows = which(where, values);
      const [found] = await query(
        `SELECT CAST(COALESCE(SUM(${column}), 0) AS TEXT) AS total FROM ${name} ${rows}`,
        values,
      );
      return BigInt(String(found?.['total']));
    },
    async insert(row) {
      const values: SqlValue[] = [];
      const given = { account, ...row };
      const placeholders = Object.values(given).map((value) => spelled(value, values));
      const [inserted] = await query(
        `INSERT INTO ${name} (${Object.keys(given).join(', ')}) VALUES (${placeholders.join(', ')})
         ON CONFLICT DO NOTHING RETURNING ${columns}`,
        values,
      );
      return inserted;
    },
    async update(where, row) {
      const values: SqlValue[] = [];
      const set = Object.entries(row).map(([column, value]) => `${column} = ${spelled(value, values)}`);
      return query(
        `UPDATE ${name} SET ${set.join(', ')} ${which(where, values)} RETURNING ${columns}`,
        values,
      );
    },
    async delete(where) {
      const values: SqlValue[] = [];
      await query(`DELETE FROM ${name} ${which(where, values)}`, values);
    },
  };
}

/** The columns to read of a table. */
function readColumns(name: TableName, now: string): string {
  const columns = Object.keys(shapeOf(name).columns);
  const read = columns.map(columnRead);
  if (columns.includes('owner_seen')) read.push(`${now} - owner_seen AS silent_ms`);
  return read.join(', ');
}

/** Drivers read large integers as doubles. */
function columnRead(column: string): string {
  return column === 'paise' ? 'CAST(paise AS TEXT) AS paise' : column;
}

function compared(column: string, condition: Condition | undefined, values: SqlValue[]): string {
  if (condition === null || condition === undefined) return `${column} IS NULL`;
  // A literal, because partial indexes only match literals.
  if (typeof condition === 'boolean') return `${column} = ${Number(condition)}`;
  if (typeof condition !== 'object') return `${column} = ${placeholder(condition, values)}`;
  if (condition.is === 'IS NOT') return `${column} IS NOT NULL`;
  if (condition.is !== 'IN') return `${column} ${condition.is} ${placeholder(condition.than, values)}`;
  return `${column} IN (${condition.than.map((value) => placeholder(value, values)).join(', ')})`;
}

/** Adds a value, and returns its placeholder. */
function placeholder(value: SqlValue, values: SqlValue[]): string {
  values.push(value);
  return `$${values.length}`;
}

/** No pause lasts longer: later entries were logged before the clock was set back, ms. */
const LATEST_MS = 120_000;

/** Keeps departures in a table of a database. */
function sqlDepartures(
  { now }: Pick<SqlDriver, 'now'>,
  exclusively: <T>(account: string, work: (query: SqlQuery) => Promise<T>) => Promise<T>,
): DepartureLog {
  return {
    exchange(scope, after, decide) {
      const account = `departures ${scope}`;
      let last: DepartureEntry | undefined;
      const write = async (query: SqlQuery) => {
        const page = await readDepartures(query, now, scope, after);
        const entries = decide(page);
        last = entries.at(-1);
        if (entries.length > 0) await writeDepartures(query, scope, page.now, entries);
      };
      const read = async (query: SqlQuery) => {
        const { entries } = await readDepartures(query, now, scope, after);
        const isLogged = entries.some(
          (each) => each.process === last?.process && each.number === last.number,
        );
        return isLogged ? [undefined] : [];
      };
      return readIfUnknown<void>(
        () => exclusively(account, write),
        () => exclusively(account, read),
      );
    },
  };
}

const departures = tableName('departures');

async function readDepartures(
  query: SqlQuery,
  now: string,
  scope: string,
  after: number,
): Promise<DeparturePage> {
  const rows = await query(
    `SELECT clock.now, id, process, number, lane, clock.now - at_ms AS age, most, reserve
     FROM (SELECT ${now} AS now) AS clock LEFT JOIN ${departures} ON account = $1 AND id > $2 ORDER BY id`,
    [scope, after],
  );
  const logged = rows.filter(({ id }) => id !== null);
  return {
    last: Number(logged.at(-1)?.['id'] ?? after),
    now: Number(rows[0]?.['now']),
    entries: logged.flatMap(departureEntries),
  };
}

async function writeDepartures(
  query: SqlQuery,
  scope: string,
  now: number,
  entries: readonly DepartureEntry[],
): Promise<void> {
  for (const { process, number, lane, age, limit, reserve } of entries) {
    await query(
      `INSERT INTO ${departures} (account, process, number, lane, at_ms, most, reserve)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [scope, process, number, lane, Math.ceil(now - age), limit, reserve],
    );
  }
  await query(`DELETE FROM ${departures} WHERE account = $1 AND (at_ms < $2 OR at_ms > $3)`, [
    scope,
    now - KEPT_MS,
    now + LATEST_MS,
  ]);
}

/** Converts a row; skips lanes that this version does not know. */
function departureEntries(row: SqlRow): DepartureEntry[] {
  const lane = LANES.find((each) => each === row['lane']);
  if (lane === undefined) return [];
  return [
    {
      process: String(row['process']),
      number: Number(row['number']),
      lane,
      age: Number(row['age']),
      limit: Number(row['most']),
      reserve: Number(row['reserve']),
    },
  ];
}

const LANES: readonly DepartureEntry['lane'][] = ['bid', 'command', 'read', 'poll', 'pause'];
