import type { Clock } from '../ports/clock.js';
import type { IntentFilter, Journal, StoredIntent } from './journal.js';
import { patiently } from './patience.js';
import { journalError } from './refusals.js';

/** How long a journal may take for anything, ms: reading a large file at its opening takes long. */
const ANSWERS_WITHIN_MS = 60_000;

/** A journal, whoever wrote it, that fails with errors of this package only, and keeps nobody waiting for ever. */
export function guarded(journal: Journal, clock: Clock): Journal {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await patiently(clock, work(), ANSWERS_WITHIN_MS);
    } catch (error) {
      throw journalError(error);
    }
  };
  async function* guardedList(filter: IntentFilter): AsyncGenerator<StoredIntent> {
    const listed = await guard(async () => journal.list(filter)[Symbol.asyncIterator]());
    try {
      for (;;) {
        const next = await guard(async () => listed.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      listed.return?.().catch(() => undefined);
    }
  }
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
    list: guardedList,
    close: () => guard(() => journal.close()),
  };
}
