import { crc32 } from 'node:zlib';
import { damaged } from './faults.js';
import { type Decoded, decodeRecord, type FileHeader, FRAME_BYTES, Misfit, type ScanEnd } from './format.js';
import { changedByte, isOneByte } from './one-byte.js';
import type { FileWindow } from './window.js';

/**
 * Version 1: records without groups around them, each synced by itself.
 *
 * @throws JournalError `damaged`
 */
export async function* scanV1(
  window: FileWindow,
  { length }: FileHeader,
  path: string,
): AsyncGenerator<readonly Decoded[], ScanEnd, undefined> {
  let position = length;
  while (position < window.size) {
    const claimed = FRAME_BYTES + lengthAt(await window.at(position, FRAME_BYTES));
    const record = decodeRecord(await window.at(position, claimed), position);
    if (record instanceof Misfit) {
      const rest = await window.at(position, window.size - position);
      if (record.isWhole || laterRecord(rest) || changedAfterwards(rest, claimed)) {
        throw damaged(path, record.offset, record.what);
      }
      break;
    }
    yield [record];
    position += record.length;
  }
  return { validBytes: position, sequence: 0 };
}

function lengthAt(bytes: Buffer): number {
  return bytes.length < FRAME_BYTES ? 0 : bytes.readUInt32LE(0);
}

/** As every payload of version 1 begins. Entries begin alike: what goes before them is no checksum of theirs. */
const OPENING = '{"type":"';

/** Whether a whole record begins anywhere behind the first. */
function laterRecord(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(OPENING, FRAME_BYTES + 1); at !== -1; at = bytes.indexOf(OPENING, at + 1)) {
    const begin = at - FRAME_BYTES;
    if (!(decodeRecord(bytes.subarray(begin), begin) instanceof Misfit)) return true;
  }
  return false;
}

/** Whether the last record would be whole if its length, or a single other byte, were another. */
function changedAfterwards(bytes: Buffer, claimed: number): boolean {
  return [bytes.length, claimed].some((length) => {
    if (length <= FRAME_BYTES || length > bytes.length) return false;
    const payload = Buffer.from(bytes.subarray(FRAME_BYTES, length));
    const checksum = bytes.readUInt32LE(4);
    const difference = checksum ^ crc32(payload);
    const change = changedByte(payload, checksum);
    if (change !== undefined) payload[change.at] = (payload[change.at] ?? 0) ^ change.flipped;
    return (difference === 0 || change !== undefined || isOneByte(difference)) && isJson(payload);
  });
}

function isJson(payload: Buffer): boolean {
  try {
    JSON.parse(payload.toString());
    return true;
  } catch {
    return false;
  }
}
