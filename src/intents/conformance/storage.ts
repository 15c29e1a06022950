import type { Journal } from '../journal.js';

/** Where one case keeps its intents: empty at first, and touched by nobody else. */
export interface JournalStorage {
  /** Opens a journal over it: the first, one after a restart, or where `shared` is set one beside another. */
  open(): Journal | Promise<Journal>;
  /**
   * Lets so many milliseconds pass on the clock that leases run by. Where that clock can't be moved, wait for them
   * for real, and give `leaseMs` a small value.
   */
  pass(ms: number): void | Promise<void>;
  /**
   * Leaves a journal as a process does that is killed: it is never closed, and never used again. Without it a restart
   * is tried by `close()` alone.
   */
  kill?(journal: Journal): void | Promise<void>;
  /** Called once at the end of a case, after every journal was closed or killed. */
  remove?(): void | Promise<void>;
}
