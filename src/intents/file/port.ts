import type { Journal } from '../journal.js';

/** What was found at opening. */
export interface OpenedJournal {
  /** Where the file really lies. */
  readonly path: string;
  readonly intents: number;
  /** Bytes of a last write that a crash had cut off: nobody was told that it was written. */
  readonly droppedBytes: number;
  /** The version of the format that was found; 0 for a new file. */
  readonly formatVersion: number;
}

/** A journal in a file. */
export interface FileJournal extends Journal {
  /**
   * Opens the file, or makes it; every other method does so by itself.
   *
   * @throws JournalError with fault `damaged`, `unknown_format`, `owned`, `unsafe_place`, `full` or `unavailable`
   */
  open(): Promise<OpenedJournal>;
}
