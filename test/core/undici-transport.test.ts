import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { authority } from '../support/certificates.js';
import { accepted, event, overSockets, rejection } from '../support/clients.js';
import { deferred, listen, silentServer } from '../support/loopback.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

/** A client that bids: of the requests that are counted here, none asks for the time. */
function bidder(baseUrl: string, clock: VirtualClock | DateConstructor = Date) {
  const transport = new ToldTime(undiciTransport(), clock);
  return overSockets(baseUrl, { transport, ...(clock instanceof VirtualClock && { clock }) });
}

const eventText = JSON.stringify('json' in event ? event.json : {});
const answering: RequestListener = (_, res) => void res.end(eventText);

describe('over real sockets', () => {
  it('reads past early hints to the reply itself', async () => {
    await using server = await listen(
      createServer((_, res) => {
        res.writeEarlyHints({ link: '</style.css>; rel=preload' });
        res.end(eventText);
      }),
    );
    await using auction = overSockets(server.baseUrl);
    expect(await auction.events.get('auc_1')).toMatchObject({ id: 'auc_1' });
  });

  it('shares connections between clients, and outlives the one that is closed first', async () => {
    await using server = await listen(createServer(answering));
    const one = overSockets(server.baseUrl);
    await using two = overSockets(server.baseUrl);
    await one.events.get('auc_1');
    await settle();
    await two.events.get('auc_1');
    await settle();
    expect(server.connections.count).toBe(1);
    await one.close();
    await two.events.get('auc_1');
    expect(server.connections.count).toBe(1);
    const error = await rejection(one.events.get('auc_1'));
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
  });

  it('keeps connections for bids while nobody reads the photos', async () => {
    await using server = await listen(
      createServer((req, res) => {
        if (req.url?.includes('/media/')) res.writeHead(200, { 'content-type': 'image/jpeg' }).write('half');
        else res.end(JSON.stringify(accepted()));
      }),
    );
    const auction = bidder(server.baseUrl);
    const abort = new AbortController();
    const photo = async (id: number) => {
      const { stream } = await auction.events.media('a', 'l', id, { signal: abort.signal });
      await stream.getReader().closed;
    };
    const photos = Array.from({ length: 70 }, (_, id) => rejection(photo(id)));
    await settle();
    expect(await auction.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
    abort.abort();
    await Promise.all(photos);
    await auction.close();
  });

  it('closes at once where only a connect is pending that nobody waits for', async () => {
    const silent = await silentServer();
    const clock = new VirtualClock();
    // Connections of its own: those of other clients stay open until the last of them is closed.
    const auction = overSockets(`https://127.0.0.1:${silent.port}/api/v1`, { clock, tls: { ca: authority } });
    const failed = rejection(auction.events.get('a', { maxAttempts: 1, timeout: 500 }));
    const { gone } = await silent.held();
    await clock.advance(500);
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    await auction.close();
    await gone;
    await silent.close();
  });

  it.each([0, 1, 2, 3, 4, 5])('one client may close while another calls (%i turns apart)', async (turns) => {
    await using server = await listen(createServer(answering));
    const one = overSockets(server.baseUrl);
    await using two = overSockets(server.baseUrl);
    await one.events.get('a');
    const closed = one.close();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    expect(await two.events.get('a', { maxAttempts: 1 })).toMatchObject({ id: 'auc_1' });
    await closed;
    expect(await two.events.get('a', { maxAttempts: 1 })).toMatchObject({ id: 'auc_1' });
  });
});

describe('a binary reply', () => {
  const jpeg = { 'content-type': 'image/jpeg' };

  it('breaks off as a ConnectionError, never as a short file', async () => {
    await using server = await listen(
      createServer((_, res) => {
        res.writeHead(200, { ...jpeg, 'content-length': 1_000 }).write(Buffer.alloc(10));
        setImmediate(() => res.destroy());
      }),
    );
    await using auction = overSockets(server.baseUrl);
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
        res.writeHead(200, jpeg);
        write = (text) => res.write(text);
        write('a');
      }),
    );
    const clock = new VirtualClock();
    await using auction = overSockets(server.baseUrl, { clock });
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
        res.writeHead(200, jpeg).write(Buffer.alloc(10));
      }),
    );
    await using auction = overSockets(server.baseUrl);
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
