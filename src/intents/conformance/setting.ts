import type { Journal } from '../journal.js';
import type { JournalStorage } from './storage.js';

/** A sentence of the port, and what shows it. */
export interface Case {
  readonly name: string;
  run(setting: Setting): Promise<void>;
}

/** What a case works with: journals over one storage, and time. */
export class Setting {
  readonly #storage: JournalStorage;
  readonly #shared: boolean;
  /** Milliseconds of a lease that is meant to run out. */
  readonly leaseMs: number;
  readonly #inUse = new Set<Journal>();

  constructor(storage: JournalStorage, shared: boolean, leaseMs: number) {
    this.#storage = storage;
    this.#shared = shared;
    this.leaseMs = leaseMs;
  }

  async open(): Promise<Journal> {
    const journal = await this.#storage.open();
    this.#inUse.add(journal);
    return journal;
  }

  /** Journals to race on: three where storages are shared, else three times the same one. */
  async openThree(): Promise<readonly [Journal, Journal, Journal]> {
    const first = await this.open();
    if (!this.#shared) return [first, first, first];
    return [first, await this.open(), await this.open()];
  }

  /** Closes a journal, or lets its process be killed where the storage can do that; then opens the next. */
  async restart(journal: Journal, how: 'closed' | 'killed'): Promise<Journal> {
    if (how === 'killed' && this.#storage.kill !== undefined) await this.#storage.kill(journal);
    else await journal.close();
    this.#inUse.delete(journal);
    return this.open();
  }

  /** Every lease of `leaseMs` that was taken before has run out afterwards. */
  async outlast(): Promise<void> {
    await this.#storage.pass(this.leaseMs + 1);
  }

  async end(): Promise<void> {
    try {
      for (const journal of this.#inUse) await journal.close();
    } finally {
      await this.#storage.remove?.();
    }
  }
}
