import type { Duplex } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { thrownCode } from '../../errors/thrown.js';
import { toHex } from '../../runtime/bytes.js';
import { nodeModule, optionalModule } from '../../runtime/node-modules.js';

/** The decoded bytes of a body, or why it can't be decoded. */
export type Decoded = { readonly bytes: Uint8Array } | { readonly failed: 'too_large' | 'encoded' };

/**
 * Decodes a body that was compressed although no encoding was requested. The bytes decide, because gateways keep stale
 * headers, add them twice, or lose them. Text is returned unchanged.
 *
 * @param maxBytes of the decompressed body
 */
export function decompressed(bytes: Uint8Array, encodings: string, maxBytes: number): Decoded {
  const zlib = optionalModule('node:zlib');
  let decoded = bytes;
  for (const name of [...namesIn(encodings), UNNAMED]) {
    if (decoded.length === 0 || looksLikeJson(decoded)) break;
    const decompress = zlib && decompressors[isOf(decoded, GZIP) ? 'gzip' : name]?.(zlib);
    // Names such as `utf-8` or `none` are no compression.
    if (decompress === undefined) continue;
    try {
      decoded = decompress(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      if (thrownCode(error) === 'ERR_BUFFER_TOO_LARGE') return { failed: 'too_large' };
      break;
    }
  }
  return isText(decoded) ? { bytes: decoded } : { failed: 'encoded' };
}

/** Whether a body may be compressed: its header names an encoding, or its first bytes are those of gzip. */
export function mayBeCompressed(bytes: Uint8Array, encodings: string): boolean {
  return namesIn(encodings).length > 0 || (bytes.length > 2 && isOf(bytes, GZIP));
}

/** For a compression that no header names. */
const UNNAMED = '';

/** A download that expands further than this is a decompression bomb: text shrinks to a tenth, a bomb to a thousandth. */
const MOST_EXPANSION = 100;

/**
 * Decodes the chunks of a file. A file that does not match its header is passed on unchanged.
 *
 * @param maxBytes of a file that expands more than a hundredfold
 * @throws Error while it is read, for an encoding that this runtime can't decode, and for a bomb
 */
export async function* decompressedFile(
  chunks: AsyncIterable<Uint8Array>,
  encodings: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = chunks[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return;
  const counts = { read: 0, written: 0 };
  async function* whole(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let next: IteratorResult<Uint8Array> = first; next.done !== true; next = await source.next()) {
      counts.read += next.value.length;
      yield next.value;
    }
  }
  let file: AsyncIterable<Uint8Array> = whole();
  if (!isFileItself(first.value)) {
    if (!canDecompress(encodings))
      throw new Error(`The file has the encoding ${JSON.stringify(encodings)}, which can't be read`);
    const { pipeline, Readable } = nodeModule('node:stream');
    const zlib = nodeModule('node:zlib');
    let head: Uint8Array | undefined = first.value;
    for (const name of namesIn(encodings)) {
      const transform = streams[name]?.(zlib, head);
      if (transform === undefined) continue;
      head = undefined;
      // Its error is that of the last stream, which is read below.
      file = pipeline(Readable.from(file), transform, () => undefined);
    }
  }
  for await (const chunk of file) {
    counts.written += chunk.length;
    if (counts.written > maxBytes && counts.written > MOST_EXPANSION * counts.read) {
      throw new Error(`The compressed file expands to more than ${maxBytes} bytes`);
    }
    yield chunk;
  }
}

function canDecompress(encodings: string): boolean {
  const zlib = optionalModule('node:zlib');
  if (zlib === undefined) return false;
  return namesIn(encodings).every(
    (name) => Object.hasOwn(streams, name) && (name !== 'zstd' || 'createZstdDecompress' in zlib),
  );
}

/** The encodings of a header, the outermost first. */
function namesIn(encodings: string): readonly string[] {
  const names = encodings.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').reverse();
}

/**
 * Creates the stream that decodes an encoding; undefined if the first bytes, as far as they are known, are not in it.
 */
type StreamOf = (zlib: typeof Zlib, first: Uint8Array | undefined) => Duplex | undefined;

const streams: Readonly<Record<string, StreamOf | undefined>> = {
  gzip: (zlib, first) => (isOf(first, GZIP) ? zlib.createGunzip() : undefined),
  'x-gzip': (zlib, first) => (isOf(first, GZIP) ? zlib.createGunzip() : undefined),
  br: (zlib) => zlib.createBrotliDecompress(),
  deflate: (zlib, first) =>
    first === undefined || hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw(),
  // From Node 22.15 on.
  zstd: (zlib, first) =>
    isOf(first, '28b52ffd') ? Reflect.apply(Reflect.get(zlib, 'createZstdDecompress'), zlib, []) : undefined,
};

/** First bytes of the files that a service sends: JPEG, PNG, GIF, PDF, WebP, and the ZIP of office documents. */
const FILES = ['ffd8ff', '89504e47', '47494638', '25504446', '52494646', '504b0304'];

function isFileItself(first: Uint8Array): boolean {
  return FILES.some((magic) => isOf(first, magic));
}

function isOf(first: Uint8Array | undefined, magic: string): boolean {
  return first === undefined || toHex(first.subarray(0, 4)).startsWith(magic);
}

const GZIP = '1f8b';

type Decompress = (bytes: Uint8Array, limits: { readonly maxOutputLength: number }) => Uint8Array;

const decompressors: Readonly<Record<string, ((zlib: typeof Zlib) => Decompress | undefined) | undefined>> = {
  gzip: ({ gunzipSync }) => gunzipSync,
  'x-gzip': ({ gunzipSync }) => gunzipSync,
  br: ({ brotliDecompressSync }) => brotliDecompressSync,
  // Some servers write the stream without its header.
  deflate: (zlib) => (bytes, limits) =>
    hasZlibHeader(bytes) ? zlib.inflateSync(bytes, limits) : zlib.inflateRawSync(bytes, limits),
  // From Node 22.15 on.
  zstd: (zlib) => {
    const decompress: unknown = Reflect.get(zlib, 'zstdDecompressSync');
    return typeof decompress === 'function'
      ? (...given) => Reflect.apply(decompress, zlib, given)
      : undefined;
  },
};

function hasZlibHeader(bytes: Uint8Array): boolean {
  return (Number(bytes[0]) & 0x0f) === 8;
}

/** Whether a body begins like JSON: no compressed one does. */
function looksLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > 0x20 && !BOM.includes(byte));
  return first === 0x7b || first === 0x5b || first === 0x22;
}

/** A byte order mark in UTF-8. */
const BOM: readonly number[] = [0xef, 0xbb, 0xbf];
const TEXT_HEAD = 1_000;

/** Whether a body begins with text in UTF-8. */
function isText(bytes: Uint8Array): boolean {
  if (looksLikeJson(bytes)) return true;
  try {
    const head = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, TEXT_HEAD), {
      stream: true,
    });
    return !/(?!\s)\p{Cc}/u.test(head);
  } catch {
    return false;
  }
}
