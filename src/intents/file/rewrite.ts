import type { StoredIntent } from '../journal.js';
import type { Disk } from './disk.js';
import { codeOf } from './faults.js';
import { encodeGroup, encodeHeader, encodeRecord, HEADER_BYTES } from './format.js';
import type { GroupFile } from './group-commit.js';
import { made, type OpenedRecord } from './records.js';

/** A file that is to be written anew, under its own name. */
export interface RewrittenFile {
  readonly disk: Disk;
  readonly path: string;
  /** Of the new file. */
  readonly generation: number;
  /** Unix ms. */
  readonly begunAt: number;
}

/** Bytes of records that are put into one group, so that nobody else waits for long. */
const GROUP_BYTES = 1 << 18;

/**
 * Writes a journal beside the one that it is to replace, and syncs it. `adopt` puts it in the place; until then nothing
 * has happened.
 */
export async function writeAnew(
  { disk, path, generation, begunAt }: RewrittenFile,
  opened: OpenedRecord,
  intents: Iterable<Omit<StoredIntent, 'lease'>>,
): Promise<GroupFile> {
  await discard(disk, path);
  const header = encodeHeader(generation, begunAt);
  const file = await disk.create(besides(path));
  const anew = { path, file, tag: header.readUInt32LE(HEADER_BYTES - 4), size: header.length, sequence: 0 };
  try {
    await file.append(header);
    let records = [encodeRecord(opened)];
    let bytes = 0;
    for (const stored of intents) {
      const record = encodeRecord(made(stored));
      records.push(record);
      bytes += record.length;
      if (bytes < GROUP_BYTES) continue;
      await appendGroup(anew, records);
      records = [];
      bytes = 0;
    }
    if (records.length > 0) await appendGroup(anew, records);
    await file.sync();
    return anew;
  } catch (error) {
    await abandon(disk, anew);
    throw error;
  }
}

/** Adds records without a sync. */
export async function appendGroup(anew: GroupFile, records: readonly Buffer[]): Promise<void> {
  const bytes = encodeGroup(records, anew.sequence + 1, anew.tag);
  await anew.file.append(bytes);
  anew.size += bytes.length;
  anew.sequence += 1;
}

/** It isn't known which of both files a crash would leave, so neither may be written to. */
export class AdoptionInDoubt extends Error {}

/** Puts the new file in the place of the old one. @throws AdoptionInDoubt where that may have happened, or may not last */
export async function adopt(disk: Disk, path: string): Promise<void> {
  try {
    await disk.rename(besides(path), path);
  } catch (error) {
    throw codeOf(error) === 'EIO' ? inDoubt(error) : error;
  }
  try {
    await disk.syncDirectory(path);
  } catch (error) {
    throw inDoubt(error);
  }
}

function inDoubt(cause: unknown): AdoptionInDoubt {
  return new AdoptionInDoubt('the new file may be in its place, or the old one', { cause });
}

/** Gives up a file that was to be adopted. */
export async function abandon(disk: Disk, { file, path }: GroupFile): Promise<void> {
  await file.close().catch(() => undefined);
  await disk.remove(besides(path)).catch(() => undefined);
}

/** Removes what a crash left of an earlier attempt. */
async function discard(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(besides(path));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function besides(path: string): string {
  return `${path}.new`;
}
