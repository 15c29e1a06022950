import { openFileJournal } from './journal-in-file.js';
import { nodeDisk } from './node-disk.js';
import type { FileJournalOptions } from './options.js';
import { lockFor } from './owner-lock.js';
import { locate } from './place.js';
import type { FileJournal } from './port.js';

/**
 * A journal in one append-only file, for one process. What a method that writes has resolved for outlives a crash of the
 * process and of the machine; many calls at once share one sync.
 *
 * The file is opened at the first use, and made where there is none; its directory must be there, on a disk of this
 * machine. What keeps it from being opened is thrown by that use, and the next one tries again; what stops it later is
 * thrown by every write until it is closed. See docs/journal-format.md.
 *
 * @param path such as `./bids.journal`
 * @throws ConfigurationError for options that can't work
 */
export function fileJournal(path: string, options: FileJournalOptions = {}): FileJournal {
  const { allowFileSystems = [], takeOverFrom } = options;
  return openFileJournal(
    path,
    {
      disk: nodeDisk,
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      pid: process.pid,
      locate: (at) => locate(at, allowFileSystems),
      lock: (at) => lockFor(at, takeOverFrom),
    },
    options,
  );
}
