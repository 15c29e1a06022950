import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { Clock } from '../../src/ports/clock.js';
import { credentials, rejection } from '../support/clients.js';
import { deferred, listen } from '../support/loopback.js';
import { VirtualClock } from '../support/virtual-clock.js';

function client(baseUrl: string, clock: Partial<Clock> = {}) {
  return new PartnerClient({
    environment: 'sandbox',
    baseUrl,
    credentials,
    partnerType: 'direct_dealer',
    logLevel: 'off',
    clock,
    randomness: { fraction: () => 0 },
  });
}

describe('a binary reply', () => {
  // rule: general.9, catalogue.browsers
  it('streams the bytes, with type, length and disposition', async () => {
    const photo = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    await using server = await listen(
      createServer((_, res) => {
        res.writeHead(200, {
          'content-type': 'image/jpeg',
          'content-length': photo.length,
          'content-disposition': 'inline',
        });
        res.end(photo);
      }),
    );
    await using auction = client(server.baseUrl);
    const reply = await auction.events.media('auc_1', 'lot_1', 901);
    expect(reply).toMatchObject({
      contentType: 'image/jpeg',
      contentLength: photo.length,
      contentDisposition: 'inline',
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.stream) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(photo)).toBe(true);
    expect(server.requests).toEqual(['GET /api/v1/events/auc_1/lots/lot_1/media/901']);
  });

  it('breaks off as a ConnectionError, never as a short file', async () => {
    await using server = await listen(
      createServer((_, res) => {
        res.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': 1_000 });
        res.write(Buffer.alloc(10));
        setImmediate(() => res.destroy());
      }),
    );
    await using auction = client(server.baseUrl);
    const { stream } = await auction.events.media('auc_1', 'lot_1', 1);
    const drain = async () => {
      for await (const _ of stream);
    };
    expect(await rejection(drain())).toMatchObject({ name: 'ConnectionError', operation: 'events.media' });
  });

  it('may take longer than an attempt, but not longer than the call', async () => {
    let write: (text: string) => void = () => undefined;
    await using server = await listen(
      createServer((_, res) => {
        res.writeHead(200, { 'content-type': 'image/jpeg' });
        write = (text) => res.write(text);
        write('a');
      }),
    );
    const clock = new VirtualClock();
    await using auction = client(server.baseUrl, clock);
    const { stream } = await auction.events.media('auc_1', 'lot_1', 1, { timeout: 1_000, deadline: 5_000 });
    const reader = stream.getReader();
    await reader.read();
    await clock.advance(4_999);
    write('b');
    expect(String(Buffer.from((await reader.read()).value ?? []))).toBe('b');
    const next = rejection(reader.read());
    await clock.advance(1);
    expect(await next).toMatchObject({ name: 'TimeoutError', message: expect.stringContaining('5000 ms') });
  });

  it('ends on abort as an AbortedError, and lets go of the connection', async () => {
    const { promise: gone, resolve: closed } = deferred();
    await using server = await listen(
      createServer((req, res) => {
        req.socket.on('close', closed);
        res.writeHead(200, { 'content-type': 'image/jpeg' });
        res.write(Buffer.alloc(10));
      }),
    );
    await using auction = client(server.baseUrl);
    const abort = new AbortController();
    const { stream } = await auction.events.media('auc_1', 'lot_1', 1, { signal: abort.signal });
    const reader = stream.getReader();
    await reader.read();
    const next = rejection(reader.read());
    abort.abort();
    expect(await next).toMatchObject({ name: 'AbortedError' });
    await gone;
  });
});
