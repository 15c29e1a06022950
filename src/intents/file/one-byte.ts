import { crc32 } from 'node:zlib';

/** A byte that was changed: `bytes[at] ^ flipped` is what it was. */
export interface ChangedByte {
  readonly at: number;
  readonly flipped: number;
}

/**
 * Which one byte would have to be another for the checksum to hold. A torn write never leaves that: it misses whole
 * sectors. So where there is such a byte, something was written whole, and was changed afterwards.
 *
 * A CRC is linear: what a changed byte does to it depends on the change and its distance from the end alone. So the
 * difference of the two checksums is run back byte by byte, until it is what a change of one byte makes.
 */
export function changedByte(bytes: Uint8Array, checksum: number): ChangedByte | undefined {
  let difference = (crc32(bytes) ^ checksum) >>> 0;
  if (difference === 0) return undefined;
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    const flipped = byTopByte[difference >>> 24] ?? 0;
    const effect = effects[flipped] ?? 0;
    if (effect === difference) return { at, flipped };
    difference = (((difference ^ effect) << 8) | flipped) >>> 0;
  }
  return undefined;
}

/** Whether exactly one of the four bytes isn't zero. */
export function isOneByte(difference: number): boolean {
  return [0, 8, 16, 24].filter((shift) => (difference >>> shift) & 0xff).length === 1;
}

/** What the change of the last byte does to a checksum, by the bits that change: the table of CRC-32. */
const effects = Uint32Array.from({ length: 256 }, (_, flipped) => {
  let value = flipped;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The effects have 256 different top bytes, so that each is known by its own. */
const byTopByte = new Uint8Array(256);
for (const [flipped, effect] of effects.entries()) byTopByte[effect >>> 24] = flipped;
