import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { overSockets, rejection } from '../support/clients.js';
import { listen } from '../support/loopback.js';

/** Files whose encoding a gateway changed or named wrongly, over both transports. */

const photo = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(50_000, 'photo')]);
const list = Buffer.from('registration,price\n'.repeat(3_000));
const zstd: unknown = Reflect.get(zlib, 'zstdCompressSync');
const withZstd = typeof zstd === 'function' ? [['zstd', Reflect.apply(zstd, zlib, [list]), list]] : [];

describe.each(['undici', 'fetch'] as const)('a file over %s', (kind) => {
  async function downloaded(encoding: string, body: Uint8Array, options: object = {}) {
    await using server = await listen(
      createServer((_, reply) => {
        // Without a length, as gateways send what they compress on the way.
        reply.writeHead(200, { 'content-type': 'image/jpeg', 'content-encoding': encoding });
        reply.end(body);
      }),
    );
    const transport = kind === 'fetch' ? fetchTransport(globalThis.fetch) : undefined;
    await using client = overSockets(server.baseUrl, { ...(transport && { transport }), ...options });
    const reply = await client.events.media('auc_1', 'lot_1', 7);
    const bytes = await buffer(reply.stream);
    return { bytes, length: reply.contentLength };
  }

  const encoded: [encoding: string, body: Uint8Array, file: Uint8Array][] = [
    ['gzip', zlib.gzipSync(photo), photo],
    ['GZIP', zlib.gzipSync(list), list],
    ['br', zlib.brotliCompressSync(list), list],
    ['deflate', zlib.deflateSync(list), list],
  ];

  it.each([...encoded, ...withZstd] as typeof encoded)(
    'that was compressed is read: %s',
    async (encoding, body, file) => {
      const { bytes } = await downloaded(encoding, body);
      expect(bytes.equals(file)).toBe(true);
    },
  );

  // fetch itself takes these off, or fails.
  it.skipIf(kind === 'fetch').each([
    ['deflate', zlib.deflateRawSync(list), list],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(list)), list],
    ['gzip', photo, photo],
    ['br', photo, photo],
    ['aws-chunked', photo, photo],
  ])('that is raw, encoded twice or not at all is read: %s', async (encoding, body, file) => {
    const { bytes, length } = await downloaded(encoding, body);
    expect([bytes.equals(file), length]).toEqual([true, undefined]);
  });

  it.skipIf(kind === 'fetch').each([
    ['is a bomb', 'gzip', zlib.gzipSync(Buffer.alloc(4_000_000)), /expands/],
    ['is cut off', 'gzip', zlib.gzipSync(photo).subarray(0, 40), /.*/],
    ['has an unknown encoding', 'aws-chunked', list, /encoding "aws-chunked"/],
    ['has the name of an object member as its encoding', 'constructor', list, /encoding "constructor"/],
    ['has zstd that is none, in capitals', 'ZSTD, aws-chunked', list, /encoding "ZSTD, aws-chunked"/],
  ])('that %s breaks off with an error of ours', async (_, encoding, body, message) => {
    const error = await rejection(downloaded(encoding, body, { maxReplyBytes: 100_000 }));
    expect(error).toMatchObject({ name: expect.stringMatching(/Error$/), call: 'events.media' });
    const { cause } = error as { readonly cause?: unknown };
    expect(String(cause)).toMatch(message);
  });
});
