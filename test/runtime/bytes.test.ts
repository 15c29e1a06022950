import { afterEach, expect, it, vi } from 'vitest';
import { concatBytes, fromBase64, fromHex, isArrayBuffer, toBase64, toHex } from '../../src/runtime/bytes.js';

afterEach(() => vi.unstubAllGlobals());

/** Every byte, in lengths around a group of base64 and around one call of `String.fromCharCode`. */
const samples = [0, 1, 2, 3, 4, 256, 32_767, 32_768, 32_769, 100_000].map((length) =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256),
);

it('Base64 and hex are the same with Buffer and without it, and read back', () => {
  const expected = samples.map((bytes) => Buffer.from(bytes).toString('base64'));
  const hex = samples.map((bytes) => Buffer.from(bytes).toString('hex'));
  expect(samples.map(toBase64)).toEqual(expected);
  vi.stubGlobal('Buffer', undefined);
  const written = samples.map(toBase64);
  const writtenHex = samples.map(toHex);
  const read = written.map(fromBase64);
  const readHex = writtenHex.map(fromHex);
  vi.unstubAllGlobals();
  expect(written).toEqual(expected);
  expect(writtenHex).toEqual(hex);
  for (const [index, bytes] of samples.entries()) {
    expect(Buffer.compare(bytes, read[index] ?? new Uint8Array(1))).toBe(0);
    expect(Buffer.compare(bytes, readHex[index] ?? new Uint8Array(1))).toBe(0);
  }
});

it('A view of a larger buffer is written without the bytes around it', () => {
  expect(toBase64(new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4))).toBe('AgME');
});

it('Chunks are joined in order', () => {
  expect(concatBytes([])).toEqual(new Uint8Array());
  expect(concatBytes([Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2, 3)])).toEqual(
    Uint8Array.of(1, 2, 3),
  );
});

it('Array buffers are told from views and from other values', () => {
  const buffers = [new ArrayBuffer(1), new SharedArrayBuffer(1)];
  expect(buffers.map(isArrayBuffer)).toEqual([true, true]);
  expect([new Uint8Array(1), 'text', null, {}].map(isArrayBuffer)).toEqual([false, false, false, false]);
});
