import { StoreError } from '../errors/store.js';
import { thisProcess } from './process.js';
import { PRUNABLE, SCHEMA_VERSION, schema, table } from './schema.js';
import {
  type EvidenceTable,
  type Exposure,
  type IntentQuery,
  type IntentRow,
  type IntentState,
  type IntentTable,
  isOpen,
  type SaveTime,
  type Store,
  type StoredIntent,
  type StoreProcess,
  type StoreTransaction,
} from './store.js';

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
  /** Lets go of files and connections, after the work under way. A later transaction opens them again. */
  close(): Promise<void>;
}

export interface SqlStoreOptions {
  /** For tests that play several processes. */
  readonly process?: StoreProcess | undefined;
}

/** Makes a store of a SQL database. Creates its tables on first use. */
export function sqlStore(driver: SqlDriver, { process = thisProcess() }: SqlStoreOptions = {}): Store {
  let ready: Promise<void> | undefined;
  const underWay = new Set<Promise<unknown>>();
  const prepare = () => {
    const preparing = prepareTables(driver);
    // A failure is not remembered: the next use tries again.
    preparing.catch(() => {
      if (ready === preparing) ready = undefined;
    });
    return preparing;
  };
  return {
    name: driver.name,
    durable: driver.durable,
    process,
    async transaction(account, work) {
      ready ??= prepare();
      const run = ready.then(() =>
        driver.transaction(account, (query) => runUnit(driver, account, query, work)),
      );
      underWay.add(run);
      try {
        return await run;
      } finally {
        underWay.delete(run);
      }
    },
    async close() {
      await Promise.allSettled(underWay);
      ready = undefined;
      await driver.close();
    },
  };
}

/** Fails a unit of work if any of its statements failed: after that, databases differ in what they keep. */
async function runUnit<T>(
  driver: SqlDriver,
  account: string,
  query: SqlQuery,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  let over = false;
  const checked = async (sql: string, values?: readonly SqlValue[]) => {
    if (over) throw new Error('The transaction is over. Await every call on it.');
    // Some failures end the transaction in the database, so a later statement would be committed on its own.
    if (failure !== undefined) throw failure.error;
    try {
      return await query(sql, values);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    const result = await work(new SqlTransaction(driver, account, checked));
    if (failure !== undefined) throw failure.error;
    return result;
  } finally {
    over = true;
  }
}

/** Reads the version first: a role that may not create tables can still use those that are there. */
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
      `INSERT INTO ${table.meta} (name, value) VALUES ('schema', $1) ON CONFLICT (name) DO NOTHING`,
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
  const [row] = await query(`SELECT value FROM ${table.meta} WHERE name = 'schema'`);
  return row === undefined ? undefined : String(row['value']);
}

type CheckedQuery = (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

const COLUMNS = `id, key, state, provisional, guarded, lot, buyer, CAST(paise AS TEXT) AS paise, closes_at, once, owner,
  content, body, version, settled_sequence`;

/** Which rows are bids at stake. */
const AT_STAKE = `(open = 1 OR state = 'accepted')`;

class SqlTransaction implements StoreTransaction, IntentTable, EvidenceTable {
  readonly #driver: SqlDriver;
  readonly #account: string;
  readonly #query: CheckedQuery;

  constructor(driver: SqlDriver, account: string, query: CheckedQuery) {
    this.#driver = driver;
    this.#account = account;
    this.#query = query;
  }

  get intents(): IntentTable {
    return this;
  }

  get evidence(): EvidenceTable {
    return this;
  }

  async get(key: string): Promise<StoredIntent | undefined> {
    const [row] = await this.#select('key = $2', [key]);
    return row;
  }

  async insert(row: IntentRow, at: SaveTime): Promise<void> {
    const sequence = isOpen(row.state) ? null : await this.#nextSequence('1 = 1', []);
    const settled = sequence === null ? [null, null] : [at.serverMs ?? null, at.localMs];
    await this.#query(
      `INSERT INTO ${table.intents} (account, key, state, open, provisional, guarded, lot, buyer, paise, closes_at, once,
        owner, content, body, settled_sequence, settled_server_ms, settled_local_ms, owner_seen)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, ${this.#driver.now})`,
      [this.#account, row.key, ...valuesOf(row), sequence, ...settled],
    );
  }

  async update(row: IntentRow, version: number, at: SaveTime): Promise<boolean> {
    const open = isOpen(row.state);
    // A follower of the settled rows learns of a changed verdict, not of a save that left the verdict as it was.
    const sequence = open
      ? null
      : await this.#nextSequence(
          `EXISTS (SELECT 1 FROM ${table.intents} WHERE account = $1 AND key = $2 AND version = $3
            AND (state <> $4 OR provisional <> $5))`,
          [row.key, version, row.state, Number(row.provisional)],
        );
    const settled = sequence === null ? [] : [sequence, at.serverMs ?? null, at.localMs];
    const settlement = open
      ? ', settled_sequence = NULL, settled_server_ms = NULL, settled_local_ms = NULL'
      : sequence === null
        ? ''
        : ', settled_sequence = $16, settled_server_ms = $17, settled_local_ms = $18';
    const saved = await this.#query(
      `UPDATE ${table.intents} SET state = $4, open = $5, provisional = $6, guarded = $7, lot = $8, buyer = $9,
        paise = $10, closes_at = $11, once = $12, owner = $13, content = $14, body = $15,
        owner_seen = ${this.#driver.now}, shrunk = 0, version = version + 1${settlement}
       WHERE account = $1 AND key = $2 AND version = $3 RETURNING id`,
      [this.#account, row.key, version, ...valuesOf(row), ...settled],
    );
    return saved.length === 1;
  }

  list({ which, after = 0, limit }: IntentQuery): Promise<readonly StoredIntent[]> {
    const filter = { open: 'AND open = 1', unresolved: 'AND (open = 1 OR provisional = 1)', all: '' }[which];
    return this.#select(`id > $2 ${filter} ORDER BY id LIMIT $3`, [after, limit]);
  }

  settledAfter(sequence: number, limit: number): Promise<readonly StoredIntent[]> {
    return this.#select('settled_sequence > $2 ORDER BY settled_sequence LIMIT $3', [sequence, limit]);
  }

  async openBids(lot: string, buyer: string): Promise<readonly StoredIntent[]> {
    // Sorted here: SQLite would read all open rows in the order of their ids instead of those of the lot.
    const bids = await this.#select('lot = $2 AND buyer = $3 AND open = 1', [lot, buyer]);
    return bids.sort((a, b) => a.id - b.id);
  }

  async latestOnce(once: string): Promise<StoredIntent | undefined> {
    const [row] = await this.#select('once = $2 ORDER BY id DESC LIMIT 1', [once]);
    return row;
  }

  async exposure({ lot, buyer, nowMs, except }: Parameters<IntentTable['exposure']>[0]): Promise<Exposure> {
    const { intents } = table;
    // Reads only the buyer's lots that close later or have no known close: the closed ones can be very many.
    const [ofBuyer] = await this.#query(
      `SELECT CAST(COALESCE(SUM(highest), 0) AS TEXT) AS paise FROM (
        SELECT MAX(paise) AS highest FROM ${intents}
        WHERE account = $1 AND buyer = $2 AND key <> $3 AND ${AT_STAKE}
          AND lot IN (SELECT lot FROM ${intents} WHERE account = $1 AND lot IS NOT NULL AND closes_at > $4)
        GROUP BY lot
        UNION ALL
        SELECT MAX(paise) AS highest FROM ${intents} AS bid
        WHERE account = $1 AND buyer = $2 AND key <> $3 AND ${AT_STAKE} AND lot IS NOT NULL AND closes_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM ${intents} AS other
            WHERE other.account = $1 AND other.lot = bid.lot AND other.closes_at IS NOT NULL)
        GROUP BY lot) AS lots`,
      [this.#account, buyer, except, nowMs],
    );
    const [onLot] = await this.#query(
      `SELECT CAST(COALESCE(SUM(highest), 0) AS TEXT) AS paise FROM (
        SELECT MAX(paise) AS highest FROM ${intents}
        WHERE account = $1 AND lot = $2 AND key <> $3 AND ${AT_STAKE}
          AND COALESCE((SELECT MAX(closes_at) > $4 FROM ${intents} WHERE account = $1 AND lot = $2), 1 = 1)
        GROUP BY buyer) AS buyers`,
      [this.#account, lot, except, nowMs],
    );
    return { buyer: BigInt(String(ofBuyer?.['paise'])), lot: BigInt(String(onLot?.['paise'])) };
  }

  async touchOwner(owner: string): Promise<void> {
    await this.#query(
      `UPDATE ${table.intents} SET owner_seen = ${this.#driver.now}
       WHERE account = $1 AND owner = $2 AND state = 'ready'`,
      [this.#account, owner],
    );
  }

  async claim(kind: 'bid_id' | 'request_id', value: string, key: string): Promise<string> {
    const [mine] = await this.#query(
      `INSERT INTO ${table.evidence} (account, kind, value, key) VALUES ($1, $2, $3, $4)
       ON CONFLICT (account, kind, value) DO NOTHING RETURNING key`,
      [this.#account, kind, value, key],
    );
    if (mine !== undefined) return key;
    const [first] = await this.#query(
      `SELECT key FROM ${table.evidence} WHERE account = $1 AND kind = $2 AND value = $3`,
      [this.#account, kind, value],
    );
    return String(first?.['key']);
  }

  async halt(): Promise<string | undefined> {
    return textOf(await this.#accountColumn('halt'));
  }

  async setHalt(reason: string | undefined): Promise<void> {
    await this.#query(
      `INSERT INTO ${table.accounts} (account, halt) VALUES ($1, $2)
       ON CONFLICT (account) DO UPDATE SET halt = excluded.halt`,
      [this.#account, reason ?? null],
    );
  }

  async serverTime(): Promise<number | undefined> {
    return numberOf(await this.#accountColumn('server_ms'));
  }

  async noteServerTime(serverMs: number): Promise<void> {
    await this.#query(
      `INSERT INTO ${table.accounts} (account, server_ms) VALUES ($1, $2)
       ON CONFLICT (account) DO UPDATE SET server_ms = excluded.server_ms
       WHERE COALESCE(${table.accounts}.server_ms, 0) < excluded.server_ms`,
      [this.#account, Math.floor(serverMs)],
    );
  }

  async prune(
    before: { serverMs: number; localMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number> {
    const { intents, evidence, accounts } = table;
    // A row that settled while server time was unknown counts from now.
    await this.#query(
      `UPDATE ${intents} SET settled_server_ms = COALESCE(
         (SELECT server_ms FROM ${accounts} WHERE account = $1), CAST($2 AS BIGINT))
       WHERE account = $1 AND settled_server_ms IS NULL AND ${PRUNABLE}`,
      [this.#account, before.serverMs],
    );
    const old = `FROM ${intents} WHERE account = $1 AND settled_server_ms < $2 AND settled_local_ms < $3 AND ${PRUNABLE}`;
    // The order of the index: in another one, all that is old would be sorted for each slice.
    const first = 'ORDER BY settled_server_ms, settled_local_ms, id LIMIT $4';
    const values = (most: number) => [this.#account, before.serverMs, before.localMs, most];
    await this.#query(
      `DELETE FROM ${evidence} WHERE account = $1 AND key IN (SELECT key ${old} AND once IS NULL ${first})`,
      values(limit),
    );
    const deleted = await this.#query(
      `DELETE FROM ${intents} WHERE id IN (SELECT id ${old} AND once IS NULL ${first}) RETURNING id`,
      values(limit),
    );
    const left = limit - deleted.length;
    const shrunk = left > 0 ? await this.#query(`SELECT id, content ${old} ${first}`, values(left)) : [];
    for (const row of shrunk) {
      await this.#query(
        `UPDATE ${intents} SET content = $2, body = NULL, shrunk = 1, version = version + 1 WHERE id = $1`,
        [Number(row['id']), shrink(String(row['content']))],
      );
    }
    return deleted.length + shrunk.length;
  }

  async #select(where: string, values: readonly SqlValue[]): Promise<StoredIntent[]> {
    const rows = await this.#query(
      `SELECT ${COLUMNS}, ${this.#driver.now} - owner_seen AS silent_ms
       FROM ${table.intents} WHERE account = $1 AND ${where}`,
      [this.#account, ...values],
    );
    return rows.map(storedOf);
  }

  /** Counted in the account's row, under its lock: a reader that has seen one has seen all before it. */
  async #nextSequence(condition: string, values: readonly SqlValue[]): Promise<number | null> {
    const [row] = await this.#query(
      `INSERT INTO ${table.accounts} (account, settled_sequence) SELECT CAST($1 AS TEXT), 1 WHERE ${condition}
       ON CONFLICT (account) DO UPDATE SET settled_sequence = ${table.accounts}.settled_sequence + 1
       RETURNING settled_sequence`,
      [this.#account, ...values],
    );
    return row === undefined ? null : Number(row['settled_sequence']);
  }

  async #accountColumn(column: 'halt' | 'server_ms'): Promise<unknown> {
    const [row] = await this.#query(`SELECT ${column} FROM ${table.accounts} WHERE account = $1`, [
      this.#account,
    ]);
    return row?.[column];
  }
}

/** `state` to `body`, in the order in which both statements that write them name them. */
function valuesOf({ bid, ...row }: IntentRow): readonly SqlValue[] {
  return [
    row.state,
    Number(isOpen(row.state)),
    Number(row.provisional),
    Number(row.guarded),
    bid?.lot ?? null,
    bid?.buyer ?? null,
    bid === undefined ? null : String(bid.paise),
    bid?.closesAt ?? null,
    row.once ?? null,
    row.owner ?? null,
    row.content,
    row.body ?? null,
  ];
}

function storedOf(row: SqlRow): StoredIntent {
  const [lot, buyer, paise] = [row['lot'], row['buyer'], row['paise']].map(textOf);
  const isBid = lot !== undefined && buyer !== undefined && paise !== undefined;
  return {
    id: Number(row['id']),
    key: String(row['key']),
    state: stateOf(row['state']),
    provisional: Number(row['provisional']) === 1,
    guarded: Number(row['guarded']) === 1,
    bid: isBid ? { lot, buyer, paise: BigInt(paise), closesAt: numberOf(row['closes_at']) } : undefined,
    once: textOf(row['once']),
    owner: textOf(row['owner']),
    content: String(row['content']),
    body: textOf(row['body']),
    version: Number(row['version']),
    ownerSilentMs: Math.max(0, Number(row['silent_ms'])),
    settledSequence: numberOf(row['settled_sequence']),
  };
}

const STATES: readonly IntentState[] = [
  'ready',
  'sent',
  'stuck',
  'accepted',
  'rejected',
  'done',
  'refused',
  'not_sent',
  'abandoned',
];

function stateOf(value: unknown): IntentState {
  const state = STATES.find((each) => each === value);
  if (state !== undefined) return state;
  throw new StoreError({
    reason: 'corrupt',
    what: `An intent can't be read: it has the state "${String(value)}".`,
    nextStep: 'Find out what else writes into these tables before you send anything.',
  });
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
