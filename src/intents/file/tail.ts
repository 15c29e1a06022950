import { crc32 } from 'node:zlib';
import {
  decodeGroup,
  decodeGroupHead,
  END_MARK,
  GROUP_HEAD_BYTES,
  GROUP_MAGIC,
  GROUP_TAIL_BYTES,
  type GroupHead,
  Misfit,
} from './format.js';
import { changedByte, isOneByte } from './one-byte.js';
import type { FileWindow } from './window.js';

// What follows the last whole group is either what a crash left of a group that nobody was told was written, or what
// became of a group that was durable. The first is dropped; the second must never be.

/** What the group in question should have been. */
type Expected = Pick<GroupHead, 'sequence' | 'tag'>;

/** Bytes that are searched at once. */
const STEP = 1 << 16;

/**
 * Whether a later group of the same file begins anywhere behind. A group is written only after the one before it was
 * durable, so even the first bytes of a later one tell.
 */
export async function laterGroup(
  window: FileWindow,
  from: number,
  { sequence, tag }: Expected,
): Promise<boolean> {
  for (let position = from; position < window.size; position += STEP) {
    const bytes = await window.at(position, STEP + GROUP_HEAD_BYTES - 1);
    for (let at = bytes.indexOf(GROUP_MAGIC); at !== -1; at = bytes.indexOf(GROUP_MAGIC, at + 1)) {
      const head = decodeGroupHead(bytes.subarray(at));
      if (head !== undefined && head.tag === tag && head.sequence > sequence) return true;
    }
  }
  return false;
}

/**
 * Whether the last group would be whole if a single byte were another: then it was written whole, and may have been
 * acted upon. A torn write misses whole sectors, and each holds at least eight bytes of a group that aren't zeros.
 */
export async function changedAfterwards(
  window: FileWindow,
  position: number,
  claimed: number,
  expected: Expected,
): Promise<boolean> {
  const rest = window.size - position;
  const lengths = claimed < rest ? [rest, claimed] : [rest];
  for (const length of lengths) {
    if (length < GROUP_HEAD_BYTES + GROUP_TAIL_BYTES) continue;
    const bytes = await window.at(position, length);
    if (repairs(bytes).some((repaired) => !(decodeGroup(repaired, expected) instanceof Misfit))) return true;
  }
  return false;
}

/** The group with its end mark, its checksum, or one byte of what that covers put right. */
function repairs(bytes: Buffer): Buffer[] {
  const tail = bytes.length - GROUP_TAIL_BYTES;
  const [checksum, found] = [bytes.readUInt32LE(tail), crc32(bytes.subarray(0, tail))];
  const marked = Buffer.from(bytes);
  marked.set(END_MARK, tail + 4);
  const summed = Buffer.from(bytes);
  if (isOneByte(checksum ^ found)) summed.writeUInt32LE(found, tail);
  const mended = Buffer.from(bytes);
  const change = changedByte(bytes.subarray(0, tail), checksum);
  if (change !== undefined) mended[change.at] = (mended[change.at] ?? 0) ^ change.flipped;
  return [marked, summed, mended];
}
