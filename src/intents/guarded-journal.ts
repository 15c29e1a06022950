import type { IntentFilter, Journal, StoredIntent } from './journal.js';
import { journalError } from './refusals.js';

/** A journal, whoever wrote it, that fails with errors of this package only. */
export function guarded(journal: Journal): Journal {
  return {
    name: journal.name,
    durable: journal.durable,
    create: (...args) => guard(() => journal.create(...args)),
    append: (...args) => guard(() => journal.append(...args)),
    claim: (...args) => guard(() => journal.claim(...args)),
    claimOpen: (...args) => guard(() => journal.claimOpen(...args)),
    release: (...args) => guard(() => journal.release(...args)),
    read: (id) => guard(() => journal.read(id)),
    find: (key) => guard(() => journal.find(key)),
    list: (filter) => guardedList(journal, filter),
    close: () => guard(() => journal.close()),
  };
}

async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw journalError(error);
  }
}

async function* guardedList(journal: Journal, filter: IntentFilter): AsyncGenerator<StoredIntent> {
  try {
    yield* journal.list(filter);
  } catch (error) {
    throw journalError(error);
  }
}
