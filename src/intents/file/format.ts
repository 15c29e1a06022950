import { crc32 } from 'node:zlib';

/** What this version writes, and the newest that it reads. */
export const FORMAT_VERSION = 2;
/** Magic, version and their checksum: the same in every version, so that a newer one is known for what it is. */
export const PROLOGUE_BYTES = 16;
export const HEADER_BYTES = 32;
/** In front of every payload: its length and its checksum. */
export const FRAME_BYTES = 8;
/** What a group has before its first record. */
export const GROUP_HEAD_BYTES = 24;
/** Checksum and end mark. */
export const GROUP_TAIL_BYTES = 8;

/** As a file begins. Its line ends and its byte above 127 don't survive a transfer as text, which shows at once. */
const FILE_MAGIC = Uint8Array.of(0x8b, 0x56, 0x41, 0x4a, 0x0d, 0x0a, 0x1a, 0x0a);
/** As a group begins: 0xff is in no UTF-8, so no payload can hold it. */
export const GROUP_MAGIC = Uint8Array.of(0xff, 0x47, 0x52, 0xfe);
export const END_MARK = Uint8Array.of(0xfd, 0x45, 0x4e, 0xfc);
/** Groups begin and end at multiples of this, so that no sector holds less of one than its magic or its end mark. */
const ALIGNMENT = 8;

export interface FileHeader {
  readonly version: number;
  /** How often the journal was rewritten, from 1; 0 in version 1. */
  readonly generation: number;
  /** When this file was begun, Unix ms; 0 in version 1. */
  readonly begunAt: number;
  /** Tells the groups of this file from those of others; 0 in version 1. */
  readonly tag: number;
  /** Where the first group or record begins. */
  readonly length: number;
}

export interface GroupHead {
  /** Bytes of the whole group. */
  readonly length: number;
  /** From 1, without a gap. */
  readonly sequence: number;
  /** Records. */
  readonly count: number;
  readonly tag: number;
}

/** Why bytes aren't what they should be, and how far behind their beginning. */
export class Misfit {
  readonly offset: number;
  readonly what: string;
  /** True where the bytes are as somebody wrote them, whole: no torn write leaves that. */
  readonly isWhole: boolean;

  constructor(offset: number, what: string, isWhole = false) {
    this.offset = offset;
    this.what = what;
    this.isWhole = isWhole;
  }
}

/** A payload, where it lies, and how many bytes it takes with its length and its checksum. */
export interface Decoded {
  readonly payload: unknown;
  readonly offset: number;
  readonly length: number;
}

/** How the reading of a file ended. */
export interface ScanEnd {
  /** Bytes up to which everything is whole. */
  readonly validBytes: number;
  /** Of the last group, 0 without one. */
  readonly sequence: number;
}

export function encodeHeader(generation: number, begunAt: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.set(FILE_MAGIC);
  bytes.writeUInt32LE(FORMAT_VERSION, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
  bytes.writeUInt32LE(generation, 16);
  bytes.writeBigUInt64LE(BigInt(Math.trunc(begunAt)), 20);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  return bytes;
}

/** @param bytes the first `HEADER_BYTES` of a file, or all of a shorter one. */
export function decodeHeader(bytes: Buffer): FileHeader | Misfit {
  if (!FILE_MAGIC.every((byte, at) => bytes[at] === byte)) return new Misfit(0, 'is no journal');
  if (bytes.length < PROLOGUE_BYTES || crc32(bytes.subarray(0, 12)) !== bytes.readUInt32LE(12)) {
    return new Misfit(8, 'has a damaged header');
  }
  const version = bytes.readUInt32LE(8);
  if (version !== FORMAT_VERSION)
    return { version, generation: 0, begunAt: 0, tag: 0, length: PROLOGUE_BYTES };
  if (bytes.length < HEADER_BYTES || crc32(bytes.subarray(0, 28)) !== bytes.readUInt32LE(28)) {
    return new Misfit(PROLOGUE_BYTES, 'has a damaged header');
  }
  return {
    version,
    generation: bytes.readUInt32LE(16),
    begunAt: Number(bytes.readBigUInt64LE(20)),
    tag: bytes.readUInt32LE(28),
    length: HEADER_BYTES,
  };
}

/** A payload with its length and its checksum in front. */
export function encodeRecord(payload: unknown): Buffer {
  const text = JSON.stringify(payload);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(FRAME_BYTES + length);
  bytes.write(text, FRAME_BYTES);
  bytes.writeUInt32LE(length, 0);
  bytes.writeUInt32LE(crc32(bytes.subarray(FRAME_BYTES)), 4);
  return bytes;
}

/** Records that are written at once, and are there all together or not at all. */
export function encodeGroup(records: readonly Buffer[], sequence: number, tag: number): Buffer {
  const content = records.reduce((sum, { length }) => sum + length, GROUP_HEAD_BYTES + GROUP_TAIL_BYTES);
  const length = Math.ceil(content / ALIGNMENT) * ALIGNMENT;
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(GROUP_MAGIC);
  bytes.writeUInt32LE(length, 4);
  bytes.writeUInt32LE(sequence, 8);
  bytes.writeUInt32LE(records.length, 12);
  bytes.writeUInt32LE(tag, 16);
  bytes.writeUInt32LE(0, 20);
  let at = GROUP_HEAD_BYTES;
  for (const record of records) {
    bytes.set(record, at);
    at += record.length;
  }
  bytes.fill(0, at, length - GROUP_TAIL_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, length - GROUP_TAIL_BYTES)), length - GROUP_TAIL_BYTES);
  bytes.set(END_MARK, length - END_MARK.length);
  return bytes;
}

/** The beginning of a group, unchecked but for its magic. */
export function decodeGroupHead(bytes: Buffer): GroupHead | undefined {
  if (bytes.length < GROUP_HEAD_BYTES || !GROUP_MAGIC.every((byte, at) => bytes[at] === byte))
    return undefined;
  return {
    length: bytes.readUInt32LE(4),
    sequence: bytes.readUInt32LE(8),
    count: bytes.readUInt32LE(12),
    tag: bytes.readUInt32LE(16),
  };
}

/** The records of a whole group; offsets are from its beginning. */
export function decodeGroup(
  bytes: Buffer,
  { sequence, tag }: Pick<GroupHead, 'sequence' | 'tag'>,
): Decoded[] | Misfit {
  const head = decodeGroupHead(bytes);
  if (head === undefined) return new Misfit(0, 'no group begins here');
  const tail = bytes.length - GROUP_TAIL_BYTES;
  if (head.length !== bytes.length || tail < GROUP_HEAD_BYTES) return new Misfit(4, 'a group is cut short');
  if (!END_MARK.every((byte, at) => bytes[tail + 4 + at] === byte)) {
    return new Misfit(tail + 4, 'a group has no end');
  }
  if (crc32(bytes.subarray(0, tail)) !== bytes.readUInt32LE(tail)) {
    return new Misfit(0, 'the checksum of a group is wrong');
  }
  if (head.tag !== tag) return new Misfit(16, 'a group is from another file', true);
  if (head.sequence !== sequence) return new Misfit(8, `group ${sequence} is missing`, true);
  const records: Decoded[] = [];
  let offset = GROUP_HEAD_BYTES;
  while (records.length < head.count) {
    const record = decodeRecord(bytes.subarray(offset, tail), offset);
    if (record instanceof Misfit) return new Misfit(record.offset, record.what, true);
    records.push(record);
    offset += record.length;
  }
  return records;
}

/** The record at the beginning of some bytes, which lie at `offset`. */
export function decodeRecord(bytes: Buffer, offset: number): Decoded | Misfit {
  if (bytes.length < FRAME_BYTES) return new Misfit(offset, 'a record is cut short');
  const length = FRAME_BYTES + bytes.readUInt32LE(0);
  if (length > bytes.length) return new Misfit(offset, 'a record is cut short');
  // Eight zeros: the checksum of nothing is 0.
  if (length === FRAME_BYTES) return new Misfit(offset, 'a record is empty');
  const payload = bytes.subarray(FRAME_BYTES, length);
  if (crc32(payload) !== bytes.readUInt32LE(4)) {
    return new Misfit(offset, 'the checksum of a record is wrong');
  }
  try {
    return { payload: JSON.parse(payload.toString()), offset, length };
  } catch {
    return new Misfit(offset, 'a record is no JSON', true);
  }
}
