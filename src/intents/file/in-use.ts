import type { Log } from '../../core/log.js';
import { JournalError } from '../../errors/journal.js';
import { Compaction } from './compaction.js';
import { codeOf, unavailable } from './faults.js';
import { encodeRecord } from './format.js';
import type { KeyLocks } from './key-locks.js';
import { type OpenFile, openFile } from './open-file.js';
import type { OpenedJournal } from './port.js';
import type { ClosedRecord } from './records.js';
import type { Surroundings } from './surroundings.js';

/** What a journal was made with. */
export interface Terms {
  readonly path: string;
  readonly surroundings: Surroundings;
  readonly retentionMs: number;
  readonly log: Log | undefined;
}

/** A journal that is open, and what gives it back. */
export interface InUse {
  readonly file: OpenFile;
  readonly found: OpenedJournal;
  readonly compaction: Compaction;
  readonly unlock: () => Promise<void>;
}

const COMPACT_FROM = 1 << 20;

/**
 * Locks a journal and opens it.
 *
 * @param locks keys of intents that are in use
 * @param previous the same journal as it was closed before
 * @throws JournalError
 */
export async function takeUp(terms: Terms, locks: KeyLocks, previous?: OpenFile): Promise<InUse> {
  const { surroundings, retentionMs, log } = terms;
  const { disk, clock, pid, compactFrom = COMPACT_FROM } = surroundings;
  const path = await surroundings.locate(terms.path);
  const unlock = await surroundings.lock(path);
  const options = { disk, path, clock, pid, retentionMs, compactFrom };
  try {
    const file = await openFile(options, previous);
    const { droppedBytes, formatVersion, table } = file;
    const found = { path, intents: table.size, droppedBytes, formatVersion };
    if (droppedBytes > 0) {
      log?.warn('The last write to the journal was cut off by a crash, and is dropped', () => ({ ...found }));
    }
    const compaction = new Compaction(file, options, locks, (error) =>
      log?.warn('The journal could not be compacted, and goes on as it is', () => ({
        path,
        reason: codeOf(error),
      })),
    );
    return { file, found, compaction, unlock };
  } catch (error) {
    await unlock().catch(() => undefined);
    throw error instanceof JournalError ? error : unavailable(path, 'opened', error);
  }
}

/** Closes a journal of which nothing is under way any more, and unlocks it. */
export async function letGo({ file, found, compaction, unlock }: InUse, terms: Terms): Promise<void> {
  const { surroundings, log } = terms;
  await compaction.end();
  const { commit } = file;
  // Where nothing was written, the last record says already that it was closed.
  if (commit.stopped === undefined && commit.hasWritten) {
    const record: ClosedRecord = { type: 'closed', at: surroundings.clock.now() };
    await commit.write(encodeRecord(record), () => undefined).catch(() => undefined);
  }
  const target = await commit.end();
  await target.file.close().catch(() => undefined);
  await unlock().catch((error: unknown) =>
    log?.warn('The lock of the journal could not be removed', () => ({
      path: found.path,
      reason: codeOf(error),
    })),
  );
}
