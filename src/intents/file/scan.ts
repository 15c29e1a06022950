import { damaged, unknownFormat } from './faults.js';
import {
  type Decoded,
  decodeGroup,
  decodeGroupHead,
  decodeHeader,
  type FileHeader,
  FORMAT_VERSION,
  GROUP_HEAD_BYTES,
  HEADER_BYTES,
  Misfit,
  type ScanEnd,
} from './format.js';
import { scanV1 } from './scan-v1.js';
import { changedAfterwards, laterGroup } from './tail.js';
import type { FileWindow } from './window.js';

/** Reads the header. @throws JournalError `damaged`, `unknown_format` */
export async function readHeader(window: FileWindow, path: string): Promise<FileHeader> {
  if (window.size === 0) throw damaged(path, 0, 'it is empty, and no journal ever is');
  const header = decodeHeader(await window.at(0, HEADER_BYTES));
  if (header instanceof Misfit) throw damaged(path, header.offset, `it ${header.what}`);
  if (header.version > FORMAT_VERSION || header.version < 1) {
    throw unknownFormat(path, header.version, FORMAT_VERSION);
  }
  return header;
}

/**
 * The records behind the header, group by group, up to what a crash left unfinished. Offsets are from the beginning
 * of the file.
 *
 * @throws JournalError `damaged`
 */
export function scan(
  window: FileWindow,
  header: FileHeader,
  path: string,
): AsyncGenerator<readonly Decoded[], ScanEnd, undefined> {
  return header.version === 1 ? scanV1(window, header, path) : scanV2(window, header, path);
}

async function* scanV2(
  window: FileWindow,
  { length, tag }: FileHeader,
  path: string,
): AsyncGenerator<readonly Decoded[], ScanEnd, undefined> {
  let position = length;
  for (let sequence = 1; ; sequence += 1) {
    const end: ScanEnd = { validBytes: position, sequence: sequence - 1 };
    if (position === window.size) return end;
    const expected = { sequence, tag };
    const claimed = decodeGroupHead(await window.at(position, GROUP_HEAD_BYTES))?.length ?? 0;
    const bytes = await window.at(position, claimed);
    const records = decodeGroup(bytes, expected);
    if (records instanceof Misfit) {
      const isDamage =
        records.isWhole ||
        (await laterGroup(window, position + 1, expected)) ||
        (await changedAfterwards(window, position, claimed, expected));
      if (isDamage) throw damaged(path, position + records.offset, records.what);
      return end;
    }
    const groupAt = position;
    yield records.map((record) => ({ ...record, offset: groupAt + record.offset }));
    position += bytes.length;
  }
}
