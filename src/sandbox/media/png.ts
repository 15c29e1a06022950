import { crc32, deflateSync } from 'node:zlib';

/** A picture of few colours: one byte a pixel, an index into the palette, row by row from the top left. */
export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** At most 256 colours. */
  readonly palette: readonly Rgb[];
  readonly pixels: Uint8Array;
}

/** Red, green, blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The bytes of a PNG file. */
export function encodePng({ width, height, palette, pixels }: IndexedImage): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bitsPerPixel;
  header[9] = indexedColour;
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(scanLines(width, height, pixels))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Every row begins with the number of its filter: 0, the bytes as they are. */
function scanLines(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const lines = new Uint8Array(height * (width + 1));
  for (let row = 0; row < height; row += 1) {
    lines.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  return lines;
}

/** Length, type, data, and the CRC of the two latter. */
function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const bitsPerPixel = 8;
const indexedColour = 3;
