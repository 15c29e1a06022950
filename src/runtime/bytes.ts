// Bytes as text, also on runtimes without `Buffer`.

/** One array of all chunks. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Arguments of one call of `String.fromCharCode`. */
const PIECE = 0x8000;

/** Padded base64, standard alphabet. */
export function toBase64(bytes: Uint8Array): string {
  // Several times faster, for files.
  if (typeof Buffer === 'function')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return btoa(pieces.join(''));
}

/** Lowercase hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of hex digits, two for each byte. */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** The bytes of padded base64, standard alphabet. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** True for an `ArrayBuffer` or `SharedArrayBuffer`. Compares the tag: one of another realm (a test runner, a vm) fails `instanceof`. */
export function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
}
