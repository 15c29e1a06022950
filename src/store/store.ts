import type { AccountRow } from './account.js';
import type { AuditTable } from './audit.js';
import type { CursorTable } from './cursors.js';
import type { DepartureLog } from './departures.js';
import type { EvidenceTable, IntentTable } from './intents.js';
import type { SqlRow, SqlValue } from './sql-driver.js';
import type { WebhookEventTable } from './webhook-events.js';

/**
 * What a unit of work reads and writes, all of one account: a narrow port for each kind of record. To add one, describe its
 * table in `schema.ts`, write its port over that table in a file like `cursors.ts`, and bundle it here and in `unit.ts`.
 */
export interface StoreTransaction {
  readonly intents: IntentTable;
  readonly evidence: EvidenceTable;
  readonly account: AccountRow;
  readonly webhookEvents: WebhookEventTable;
  readonly audit: AuditTable;
  readonly cursors: CursorTable;
  /** Runs a statement of the user's in this transaction; absent where the store has no SQL. */
  readonly query?: ((sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>) | undefined;
}

/** Which process this is, to the others on a store. */
export interface StoreProcess {
  /** Host, process id, start and a random part; no two processes have the same. */
  readonly id: string;
  /** Whether the process that wrote this id is gone: known at once on this host, elsewhere after 15 s of silence. */
  isGone(id: string, silentMs: number): boolean;
}

/** Keeps intents and what belongs to them, for one or many processes. */
export interface Store {
  /** For messages, such as `SQLite (./auction.db)`. */
  readonly name: string;
  /** Whether it outlives the process. */
  readonly durable: boolean;
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
