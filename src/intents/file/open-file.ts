import { JournalError } from '../../errors/journal.js';
import type { Clock } from '../../ports/clock.js';
import { IntentTable } from '../intent-table.js';
import type { StoredIntent } from '../journal.js';
import type { Disk, DiskFile } from './disk.js';
import { codeOf, unavailable, writeFault } from './faults.js';
import { encodeRecord, FORMAT_VERSION } from './format.js';
import { GroupCommit, type GroupFile } from './group-commit.js';
import { idOf, type OpenedRecord } from './records.js';
import { Replay } from './replay.js';
import { isExpired } from './retention.js';
import { AdoptionInDoubt, abandon, adopt, writeAnew } from './rewrite.js';
import { readHeader, scan } from './scan.js';
import { FileWindow } from './window.js';

export interface OpeningOptions {
  readonly disk: Disk;
  /** Where the file really lies. */
  readonly path: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly pid: number;
  readonly retentionMs: number;
  /** A file under this size, in bytes, is not worth rewriting. */
  readonly compactFrom: number;
}

/** A journal that was read, and may be written. */
export interface OpenFile {
  readonly table: IntentTable;
  readonly commit: GroupCommit;
  readonly opened: OpenedRecord;
  readonly generation: number;
  /** What its intents take, in bytes. */
  readonly usefulBytes: number;
  /** What a crash had left unfinished at the end, in bytes. */
  readonly droppedBytes: number;
  /** That was found; 0 for a new file. */
  readonly formatVersion: number;
}

/** Fences of one opening are below those of the next: more of them than an intent is ever taken over in one. */
const FENCES_PER_OPENING = 2 ** 24;

/**
 * Opens a journal, or makes one. What wasn't closed in an orderly way is written anew before it is used: a process that
 * was killed may have left what no sync has confirmed, and one whose sync failed what no later sync would write.
 *
 * @param previous the same journal as it was closed before: where nobody else wrote since, its fences and leases go on
 * @throws JournalError
 */
export async function openFile(options: OpeningOptions, previous?: OpenFile): Promise<OpenFile> {
  const { disk, path } = options;
  let file: DiskFile;
  try {
    file = await disk.open(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return newFile(options);
    throw unavailable(path, 'opened', error);
  }
  try {
    return await readFile(options, file, previous);
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error instanceof JournalError ? error : unavailable(path, 'read', error);
  }
}

async function newFile(options: OpeningOptions): Promise<OpenFile> {
  const opened = openedRecord(options, 1);
  try {
    const target = await rewritten(options, 1, opened, new IntentTable(options.clock.monotonic));
    return {
      table: new IntentTable(options.clock.monotonic),
      commit: new GroupCommit(target, { hasWritten: true }),
      opened,
      generation: 1,
      usefulBytes: 0,
      droppedBytes: 0,
      formatVersion: 0,
    };
  } catch (error) {
    throw writeFault(options.path, error);
  }
}

async function readFile(options: OpeningOptions, file: DiskFile, previous?: OpenFile): Promise<OpenFile> {
  const { path, clock, retentionMs, compactFrom } = options;
  const size = await file.size();
  const window = new FileWindow(file, size);
  const header = await readHeader(window, path);
  const replay = new Replay(path);
  const groups = scan(window, header, path);
  let step = await groups.next();
  for (; step.done !== true; step = await groups.next()) for (const record of step.value) replay.take(record);
  const { validBytes, sequence } = step.value;

  // Whoever gives a fence out writes down first that he opened the file. So the last who did is the last who could.
  const isResumed = previous?.commit.hasPreface === false && previous.opened.opening === replay.opening;
  const opened = isResumed ? previous.opened : openedRecord(options, replay.opening + 1);
  const table = new IntentTable(clock.monotonic);
  replay.fill(table, opened.opening * FENCES_PER_OPENING);
  if (isResumed) table.goOnFrom(previous.table);
  const preface = isResumed ? undefined : encodeRecord(opened);
  const now = clock.now();
  const isGone = (stored: Omit<StoredIntent, 'lease'>) => isExpired(stored, now, retentionMs);
  const usefulBytes = replay.usefulBytes(isGone);
  const found = {
    table,
    opened,
    usefulBytes,
    droppedBytes: size - validBytes,
    formatVersion: header.version,
  };
  const old: GroupFile = { path, file, tag: header.tag, size, sequence };
  const isOutgrown = size >= compactFrom && usefulBytes * 2 < size;
  if (header.version === FORMAT_VERSION && replay.isClosed && validBytes === size && !isOutgrown) {
    const commit = new GroupCommit(old, { preface });
    return { ...found, commit, generation: header.generation };
  }
  for (const stored of [...table.list({})]) if (isGone(stored)) table.remove(idOf(stored.intent));
  const generation = header.generation + 1;
  try {
    const target = await rewritten(options, generation, opened, table);
    await file.close().catch(() => undefined);
    return { ...found, commit: new GroupCommit(target, { hasWritten: true }), generation };
  } catch (error) {
    // It can still be read, which is what somebody wants who makes room.
    return {
      ...found,
      commit: new GroupCommit(old, { preface, stopped: writeFault(path, error) }),
      generation,
    };
  }
}

async function rewritten(
  { disk, path, clock }: OpeningOptions,
  generation: number,
  opened: OpenedRecord,
  table: IntentTable,
): Promise<GroupFile> {
  const anew = await writeAnew({ disk, path, generation, begunAt: clock.now() }, opened, table.list({}));
  try {
    await adopt(disk, path);
    return anew;
  } catch (error) {
    await abandon(disk, anew);
    throw error instanceof AdoptionInDoubt ? error.cause : error;
  }
}

function openedRecord({ clock, pid }: OpeningOptions, opening: number): OpenedRecord {
  return { type: 'opened', opening, at: clock.now(), pid };
}
