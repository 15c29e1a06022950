import { JournalError } from '../../../src/errors/journal.js';
import type { Entry } from '../../../src/intents/entry.js';
import type { Journal } from '../../../src/intents/journal.js';
import { memoryJournal } from '../../../src/intents/memory-journal.js';
import { type Watch, watched } from '../checks/journal-watch.js';
import type { Choices } from './choices.js';
import type { Faults } from './faults.js';
import { never, type SimulatedProcess } from './process.js';
import type { Storage } from './storage.js';
import type { Timeline } from './timeline.js';

export interface SharedJournalParts {
  readonly timeline: Timeline;
  readonly choices: Choices;
  readonly faults: Faults;
  readonly watch: Watch;
}

/**
 * A journal on a server of its own, such as a database: many processes, latency, and commits whose replies get lost. Its
 * table is the memory journal, so the rules of leases and fences under test are the package's own.
 */
export class SharedJournal implements Storage {
  readonly keepsLeases = true;
  readonly #parts: SharedJournalParts;
  readonly #table: Journal;
  /** What was committed, by key, as text. */
  readonly #committed = new Map<string, string>();

  constructor(parts: SharedJournalParts) {
    this.#parts = parts;
    const { timeline } = parts;
    this.#table = memoryJournal({ now: () => timeline.now, settledLimit: Number.MAX_SAFE_INTEGER });
  }

  connect(process: SimulatedProcess): Journal {
    // At the table itself: what is committed counts, whether its process hears of it or not.
    const table = watched(this.#table, process.name, this.#parts.watch);
    const read = <T>(work: () => Promise<T>) => this.#ask(process, work);
    const write = <T>(work: () => Promise<T>) => this.#askToWrite(process, work);
    return {
      name: 'shared',
      durable: true,
      create: (intent, change, lease, rules) =>
        write(async () => {
          const created = await table.create(intent, change, lease, rules);
          if (created.kind === 'created') this.#commit(intent.key, JSON.stringify(intent), change.entries);
          return created;
        }),
      append: (id, fence, change) =>
        write(async () => {
          await table.append(id, fence, change);
          this.#commit(id.key, '', change.entries);
        }),
      claim: (id, lease) => write(() => table.claim(id, lease)),
      claimOpen: (namespace, lease, limit) => write(() => table.claimOpen(namespace, lease, limit)),
      release: (id, fence) => write(() => table.release(id, fence)),
      read: (id) => read(() => table.read(id)),
      find: (key) => read(() => table.find(key)),
      list: (filter) => later(read(() => collected(table.list(filter)))),
      close: async () => undefined,
    };
  }

  holds(key: string, nonce: string): boolean {
    return this.#committed.get(key)?.includes(nonce) === true;
  }

  content(): string {
    return [...this.#committed.values()].join('\n');
  }

  powerCut(): void {
    // Its server stands elsewhere, and what it has committed it keeps.
  }

  async #ask<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
    const { timeline, choices, faults } = this.#parts;
    if (process.isDead) return never();
    process.trouble();
    const slow = faults.strikes('journal slow');
    await timeline.sleep(slow ? 200 * (1 + choices.choose('journal slowness', 50)) : 1);
    const result = await work();
    return handed(process, result);
  }

  async #askToWrite<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
    const { faults } = this.#parts;
    if (process.crashesAt('crash before a journal write')) return never();
    if (faults.strikes('journal write failed')) {
      await this.#ask(process, async () => undefined);
      throw lost('The connection to the journal broke before the commit.');
    }
    const result = await this.#ask(process, work);
    if (process.crashesAt('crash after a journal write')) return never();
    if (faults.strikes('journal commit unheard')) throw lost('The connection to the journal broke.');
    return result;
  }

  #commit(key: string, intent: string, entries: readonly Entry[]): void {
    this.#committed.set(key, `${this.#committed.get(key) ?? ''}${intent}${JSON.stringify(entries)}`);
  }
}

function lost(what: string): JournalError {
  return new JournalError({ fault: 'unavailable', what, nextStep: 'Look again.' });
}

/** Resolves when the process is there to take it. */
function handed<T>(process: SimulatedProcess, result: T): Promise<T> {
  return new Promise((resolve) => process.deliver(() => resolve(result)));
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* later<T>(items: Promise<readonly T[]>): AsyncGenerator<T> {
  yield* await items;
}
