import { inflateSync } from 'node:zlib';

export interface Picture {
  width: number;
  height: number;
  /** Types of the chunks, in order. */
  chunks: string[];
  /** Red, green, blue of a pixel, counted from the top left. */
  at: (x: number, y: number) => number[];
}

/** Reads a PNG of 8-bit palette indices as its specification says; throws where the file breaks it. */
export function readPng(file: Uint8Array): Picture {
  const bytes = Buffer.from(file);
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('not a PNG');
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (bytes.readUInt32BE(at + 8 + length) !== crc(bytes.subarray(at + 4, at + 8 + length))) {
      throw new Error(`wrong CRC of the chunk at ${at}`);
    }
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data });
    at += 12 + length;
  }
  const dataOf = (type: string) => Buffer.concat(chunks.filter((c) => c.type === type).map((c) => c.data));
  const header = dataOf('IHDR');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  // Depth, colour type, compression, filter method, interlace.
  if (header.length !== 13 || header.subarray(8).join() !== '8,3,0,0,0')
    throw new Error('not an indexed PNG');
  const palette = dataOf('PLTE');
  if (palette.length % 3 !== 0 || palette.length > 768) throw new Error('not a palette');
  const pixels = unfiltered(inflateSync(dataOf('IDAT')), width, height);
  return {
    width,
    height,
    chunks: chunks.map(({ type }) => type),
    at: (x, y) => {
      const index = pixels[y * width + x] ?? Number.NaN;
      const colour = [...palette.subarray(index * 3, index * 3 + 3)];
      if (colour.length !== 3) throw new Error(`no colour ${index} at ${x}, ${y}`);
      return colour;
    },
  };
}

function unfiltered(lines: Buffer, width: number, height: number): Uint8Array {
  if (lines.length !== height * (width + 1)) throw new Error(`${lines.length} bytes of scan lines`);
  const out = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (width + 1)] ?? 0;
    for (let x = 0; x < width; x += 1) {
      const left = x > 0 ? (out[y * width + x - 1] ?? 0) : 0;
      const up = y > 0 ? (out[(y - 1) * width + x] ?? 0) : 0;
      const corner = x > 0 && y > 0 ? (out[(y - 1) * width + x - 1] ?? 0) : 0;
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      const guess = guesses[filter];
      if (guess === undefined) throw new Error(`no filter ${filter}`);
      out[y * width + x] = (lines[y * (width + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** CRC-32 bit by bit. */
export function crc(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}
