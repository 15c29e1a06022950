import type { Lane } from '../api/operation.js';
import { StoreError } from '../errors/store.js';
import { type EvidenceTable, evidenceTable, type IntentTable, intentTable } from './intents.js';
import { newOwnerId, type StoreProcess } from './owner.js';
import type { Elsewhere, Step, Table, TableName, Unit } from './schema.js';
import type { SqlRow, SqlValue } from './sql-driver.js';
import {
  type AccountRow,
  type AuditTable,
  accountRow,
  auditTable,
  type CommitMark,
  type CommitTable,
  type CursorTable,
  commitTable,
  cursorTable,
  type WebhookEventTable,
  webhookEventTable,
} from './tables.js';

/**
 * Tables of one account inside a unit of work, with a narrow port for each kind of record. To add one, describe its table in
 * `schema.ts`, write its port in `tables.ts`, and list it here.
 */
export interface StoreTransaction {
  readonly intents: IntentTable;
  readonly evidence: EvidenceTable;
  readonly account: AccountRow;
  readonly webhookEvents: WebhookEventTable;
  readonly audit: AuditTable;
  readonly cursors: CursorTable;
  readonly commits: CommitTable;
  /** Runs your SQL in this transaction; absent if the store has no SQL. */
  readonly query?: ((sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>) | undefined;
}

/** Stores intents and related records, for one or many processes. */
export interface Store {
  /** For messages, such as `SQLite (./auction.db)`. */
  readonly name: string;
  /** True if the data outlives the process. */
  readonly durable: boolean;
  /** Identifies this isolate to others on the store. */
  readonly process: StoreProcess;
  /** Log of sent requests, for processes that share a quota through this store; absent if they can't. */
  readonly departures?: DepartureLog | undefined;
  /**
   * Runs a unit of work and commits all of it or nothing. Work on one account is serializable. `work` may run more than
   * once, and must await nothing but the transaction.
   *
   * @throws StoreError with `commit: 'unknown'` if it may have been committed
   */
  transaction<T>(account: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Closes files and connections once pending work is done. A later transaction opens it again. */
  close(): Promise<void>;
}

// Log of sent requests, for processes that share a quota.

/** An entry that a process logs for others that share its quota: a sent request, or a pause that the service asked for. */
export interface DepartureEntry {
  /** Id of the process. */
  readonly process: string;
  /** Unique within the process. A later entry with the same number moves that departure. */
  readonly number: number;
  readonly lane: Lane | 'pause';
  /** Age of the request, ms. For a pause, its remaining time as a negative number. */
  readonly age: number;
  /** The settings of the process. */
  readonly limit: number;
  readonly reserve: number;
}

/** Entries of all processes since the last read. */
export interface DeparturePage {
  /** Position of the last entry; continue with it. */
  readonly last: number;
  /** Unix ms, by the store's clock. It may be set at any time. */
  readonly now: number;
  readonly entries: readonly DepartureEntry[];
}

/**
 * Log of sent requests, for processes that share a quota. It need not survive a power failure, because a restart takes
 * longer than a window.
 */
export interface DepartureLog {
  /**
   * Reads the entries after a position, and appends those that `decide` returns, while no other process does the same.
   * `decide` may run more than once; only the entries of its last run are logged, or none.
   *
   * @param scope requests that the service counts together, such as those to one origin
   */
  exchange(
    scope: string,
    after: number,
    decide: (page: DeparturePage) => readonly DepartureEntry[],
  ): Promise<void>;
}

/** Processes that have sent nothing for this time no longer count, ms. */
export const KEPT_MS = 600_000;

// Units of work, for every kind of store.

/** Functions that each kind of store provides for a unit of work. */
export interface Engine {
  readonly table: (name: TableName) => Table<string>;
  /** The intents of every other account of the store, to read. What was committed before is seen. */
  readonly elsewhere: () => Promise<readonly Elsewhere[]>;
  readonly query?: StoreTransaction['query'];
}

/** Runs a unit of work. If a step failed, the unit fails, because databases differ in what they keep after that. */
export async function runUnit<T>(
  engineOf: (step: Step) => Engine,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const step: Step = async (action) => {
    if (isOver) throw new Error('The transaction is over. Await every call on it.');
    // Some failures end the transaction in the database, so a later statement would be committed on its own.
    if (failure !== undefined) throw failure.error;
    try {
      return await action();
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const engine = engineOf(step);
  const { mark, ...commits } = commitTable({ step, table: engine.table });
  const { elsewhere } = engine;
  const unit: Unit = { step, elsewhere, table: (name) => marking(engine.table(name), mark) };
  const { query } = engine;
  const account = accountRow(unit);
  try {
    const result = await work({
      intents: intentTable(unit, account),
      evidence: evidenceTable(unit),
      account,
      webhookEvents: webhookEventTable(unit),
      audit: auditTable(unit),
      cursors: cursorTable(unit),
      commits,
      query:
        query &&
        (async (...statement) => {
          // The SQL may write.
          await mark();
          return query(...statement);
        }),
    });
    if (failure !== undefined) throw failure.error;
    return result;
  } finally {
    isOver = true;
  }
}

/** Wraps a table so that writes leave the mark of their unit of work first. */
function marking<Column extends string>(table: Table<Column>, mark: () => Promise<void>): Table<Column> {
  return {
    select: table.select,
    sum: table.sum,
    async insert(values) {
      await mark();
      return table.insert(values);
    },
    async update(where, values) {
      await mark();
      return table.update(where, values);
    },
    async delete(where) {
      await mark();
      return table.delete(where);
    },
  };
}

// Commits with a lost reply.

/** Marks that no unit of work is using, by store. */
const idleMarks = new WeakMap<object, CommitMark[]>();

/**
 * Runs a unit of work. Each unit that writes leaves a mark. If the reply to its commit is lost, the mark shows whether it was
 * committed. All units of work go through this function.
 *
 * @throws StoreError with `commit: 'unknown'` if the mark can't be read, or does not exist yet
 */
export async function transact<T>(
  store: Pick<Store, 'transaction' | 'process'>,
  account: string,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  const idle = idleMarks.get(store) ?? [];
  idleMarks.set(store, idle);
  const { owner, token } = idle.pop() ?? { owner: newOwnerId(store.process), token: 0 };
  const mark = { owner, token: token + 1 };
  const values: T[] = [];
  const commit = () =>
    store.transaction(account, async (tx) => {
      values.length = 0;
      tx.commits.markWith(mark);
      const value = await work(tx);
      values.push(value);
      return value;
    });
  const read = async () => {
    const isCommitted = await store.transaction(account, ({ commits }) => commits.has(mark));
    return isCommitted ? values : [];
  };
  // If the commit may still arrive, its mark is not reused.
  return readIfUnknown(commit, read, () => idle.push(mark));
}

/** Runs an action that commits. If the reply is lost, `read` finds the result of the action, if it took place. */
export async function readIfUnknown<T>(
  commit: () => Promise<T>,
  read: () => Promise<readonly T[]>,
  onKnown: () => unknown = () => undefined,
): Promise<T> {
  try {
    const value = await commit();
    onKnown();
    return value;
  } catch (error) {
    const isUnknown = error instanceof StoreError && error.commit === 'unknown';
    const found = isUnknown ? await read().catch(() => []) : [];
    if (!isUnknown || found.length > 0) onKnown();
    for (const value of found) return value;
    throw error;
  }
}
