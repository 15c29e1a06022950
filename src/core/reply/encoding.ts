import type * as Zlib from 'node:zlib';
import { thrownCode } from '../../errors/thrown.js';

/** The bytes of a body without its encoding, or why they can't be had. */
export type Decoded = { readonly bytes: Uint8Array } | { readonly failed: 'too_large' | 'encoded' };

/**
 * Takes the encoding off a body that was compressed although no encoding was asked for. A body that is not what its header says is
 * returned as it came: gateways leave headers behind.
 *
 * @param maxBytes of the decompressed body
 */
export function decompressed(bytes: Uint8Array, encodings: string, maxBytes: number): Decoded {
  const zlib: typeof Zlib | undefined = globalThis.process?.getBuiltinModule?.('node:zlib');
  let decoded = bytes;
  for (const encoding of encodings.toLowerCase().split(',').reverse()) {
    const name = encoding.trim();
    if (name === '' || name === 'identity') continue;
    const decompress = zlib && decompressors[name]?.(zlib);
    if (decompress === undefined) return looksLikeJson(bytes) ? { bytes } : { failed: 'encoded' };
    try {
      decoded = decompress(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      if (thrownCode(error) === 'ERR_BUFFER_TOO_LARGE') return { failed: 'too_large' };
      return looksLikeJson(bytes) ? { bytes } : { failed: 'encoded' };
    }
  }
  return { bytes: decoded };
}

type Decompress = (bytes: Uint8Array, limits: { readonly maxOutputLength: number }) => Uint8Array;

const decompressors: Readonly<Record<string, ((zlib: typeof Zlib) => Decompress) | undefined>> = {
  gzip: ({ gunzipSync }) => gunzipSync,
  'x-gzip': ({ gunzipSync }) => gunzipSync,
  br: ({ brotliDecompressSync }) => brotliDecompressSync,
  // Some servers write the stream without its header.
  deflate: (zlib) => (bytes, limits) =>
    (Number(bytes[0]) & 0x0f) === 8 ? zlib.inflateSync(bytes, limits) : zlib.inflateRawSync(bytes, limits),
};

/** Whether a body begins as JSON does: no compressed one begins so. */
function looksLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b || first === 0x22;
}
