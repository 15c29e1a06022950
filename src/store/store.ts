import type { Lane } from '../api/operation.js';
import { StoreError } from '../errors/store.js';
import { type EvidenceTable, evidenceTable, type IntentTable, intentTable } from './intents.js';
import { newOwnerId, type StoreProcess } from './owner.js';
import type { Step, Table, TableName, Unit } from './schema.js';
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
 * What a unit of work reads and writes, all of one account: a narrow port for each kind of record. To add one, describe its
 * table in `schema.ts`, write its port over that table in `tables.ts`, and bundle both here.
 */
export interface StoreTransaction {
  readonly intents: IntentTable;
  readonly evidence: EvidenceTable;
  readonly account: AccountRow;
  readonly webhookEvents: WebhookEventTable;
  readonly audit: AuditTable;
  readonly cursors: CursorTable;
  readonly commits: CommitTable;
  /** Runs a statement of the user's in this transaction; absent where the store has no SQL. */
  readonly query?: ((sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>) | undefined;
}

/** Keeps intents and what belongs to them, for one or many processes. */
export interface Store {
  /** For messages, such as `SQLite (./auction.db)`. */
  readonly name: string;
  /** Whether it outlives the process. */
  readonly durable: boolean;
  /** The isolate that uses it, to the others. */
  readonly process: StoreProcess;
  /** When requests left, for the processes that share a quota through this store; absent where none can. */
  readonly departures?: DepartureLog | undefined;
  /**
   * Runs a unit of work: all of it is committed, or nothing. Work on one account is serializable. `work` may run more
   * than once, and awaits nothing but the transaction.
   *
   * @throws StoreError; with `commit: 'unknown'` where it may have been committed
   */
  transaction<T>(account: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Closes files and connections once pending work is done. A later transaction opens it again. */
  close(): Promise<void>;
}

// When requests left, for processes that share a quota.

/** What a process reports to others that share its quota: a request it sends, or a pause that the service asked for. */
export interface DepartureEntry {
  /** The process, to the others. */
  readonly process: string;
  /** Unique within the process. A later entry under the same number moves that departure. */
  readonly number: number;
  readonly lane: Lane | 'pause';
  /** How long ago it left, ms; of a pause, how long it still lasts, below 0. */
  readonly ageMs: number;
  /** The settings of the process. */
  readonly limit: number;
  readonly reserve: number;
}

/** What was logged since the last look, by whatever process. */
export interface DeparturePage {
  /** Position of the last entry, from which to continue. */
  readonly last: number;
  /** Unix ms, by the store's clock. It may be set at any time. */
  readonly now: number;
  readonly entries: readonly DepartureEntry[];
}

/**
 * When requests left, for processes that share a quota. It need not survive a power cut, which takes longer than a
 * window.
 */
export interface DepartureLog {
  /**
   * Reads what was logged after a position, and logs what `decide` makes of it, while no other process does the same.
   * `decide` may run more than once; what it returned last is logged, or nothing.
   *
   * @param scope what the service counts together
   */
  exchange(
    scope: string,
    after: number,
    decide: (page: DeparturePage) => readonly DepartureEntry[],
  ): Promise<void>;
}

/** Processes that have sent nothing for so long no longer count, ms. */
export const KEPT_MS = 600_000;

// How every kind of store runs a unit of work.

/** What a kind of store gives for a unit of work. */
export interface Engine {
  readonly table: (name: TableName) => Table<string>;
  readonly exposure: IntentTable['exposure'];
  readonly query?: StoreTransaction['query'];
}

/** Runs a unit of work. If one of its steps failed it fails: after that, databases differ in what they keep. */
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
  const unit: Unit = { step, table: (name) => marking(engine.table(name), mark) };
  const { query } = engine;
  const account = accountRow(unit);
  try {
    const result = await work({
      intents: intentTable(unit, account, engine.exposure),
      evidence: evidenceTable(unit),
      account,
      webhookEvents: webhookEventTable(unit),
      audit: auditTable(unit),
      cursors: cursorTable(unit),
      commits,
      query:
        query &&
        (async (...statement) => {
          // It may write.
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

/** A table whose writes mark their unit of work first. */
function marking<Column extends string>(table: Table<Column>, mark: () => Promise<void>): Table<Column> {
  return {
    select: table.select,
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

// Commits whose answer is lost.

/** Marks that no unit of work uses now, by store. */
const idleMarks = new WeakMap<object, CommitMark[]>();

/**
 * Runs a unit of work. Each unit that writes leaves a mark, so that it can be read whether it was committed if the answer to
 * its commit is lost. All units of work go through here.
 *
 * @throws StoreError; with `commit: 'unknown'` if the mark can't be read, or is not there yet
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
  // A mark whose commit may still arrive is not used again.
  return readIfUnknown(commit, read, () => idle.push(mark));
}

/** Runs an action that commits. If the answer is lost, `read` finds what the action returned, if it took place. */
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
