import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import type { Clock } from '../../src/ports/clock.js';
import { authority } from '../support/certificates.js';
import { accepted, credentials, KEY, rejection } from '../support/clients.js';
import { deferred, listen } from '../support/loopback.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

/** A client that reads: the transport is its own, and closed with it. */
function reader(baseUrl: string, more: Partial<PartnerClientOptions<'direct_dealer'>> = {}) {
  return new PartnerClient({
    environment: 'sandbox',
    baseUrl,
    credentials,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    logLevel: 'off',
    randomness: { fraction: () => 0 },
    ...more,
  });
}

/** A client that bids: of the requests that are counted here, none asks for the time. */
function client(baseUrl: string, clock: Partial<Clock> = {}) {
  const now = { now: () => clock.now?.() ?? Date.now() };
  return reader(baseUrl, { clock, transport: new ToldTime(undiciTransport(), now) });
}

/** A server that answers nothing, not even the handshake. */
async function silentServer() {
  const silent = createTcpServer(() => undefined);
  const arrived = new Promise<Socket>((resolve) => silent.once('connection', resolve));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, arrived, close: () => new Promise((resolve) => silent.close(resolve)) };
}

const event = JSON.stringify({
  data: { id: 'auc_1', status: 'live', bid_increment: '1.00', revision: 1 },
});

describe('over real sockets', () => {
  // rule: canonical.bytes
  it('sends the very bytes that were signed, and one key over a cut connection', async () => {
    const bodies: Buffer[] = [];
    const keys: unknown[] = [];
    await using server = await listen(
      createServer((req, res) => {
        const chunks: Buffer[] = [];
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
        req.on('end', () => {
          bodies.push(Buffer.concat(chunks));
          keys.push(req.headers['idempotency-key']);
          if (bodies.length === 1) {
            req.socket.destroy();
            return;
          }
          res.writeHead(200, { 'content-type': 'application/json' });
          res.end(JSON.stringify(accepted({ replayed: true })));
        });
      }),
    );
    await using auction = client(server.baseUrl);
    const receipt = await auction.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY });
    expect(receipt.replayed).toBe(true);
    expect(bodies.map(String)).toEqual([String(bodies[0]), String(bodies[0])]);
    expect(String(bodies[0])).toBe(`{"amount":"465000","dealer_id":"D-204","idempotency_key":"${KEY}"}`);
    expect(keys).toEqual([KEY, KEY]);
  });

  it('says unknown where the request left and the attempt ran out of time', async () => {
    const clock = new VirtualClock();
    const { promise: arrived, resolve: seen } = deferred();
    await using server = await listen(createServer(() => seen()));
    await using auction = client(server.baseUrl, clock);
    const failed = rejection(auction.bids.submit('lot_1', { amount: '1' }, { maxAttempts: 1, timeout: 500 }));
    await arrived;
    await clock.advance(500);
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  });

  it('says unknown where a reply breaks off in the middle', async () => {
    await using server = await listen(
      createServer((req, res) => {
        req.resume();
        res.writeHead(201, { 'content-type': 'application/json', 'content-length': 500 });
        res.write('{"success":true');
        setImmediate(() => res.destroy());
      }),
    );
    await using auction = client(server.baseUrl);
    expect(await rejection(auction.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
      attempts: 3,
    });
    expect(server.requests).toHaveLength(3);
  });

  it('reads past early hints to the reply itself', async () => {
    await using server = await listen(
      createServer((_, res) => {
        res.writeEarlyHints({ link: '</style.css>; rel=preload' });
        res.end(event);
      }),
    );
    await using auction = reader(server.baseUrl);
    expect(await auction.events.get('auc_1')).toMatchObject({ id: 'auc_1' });
  });

  it('shares connections between clients, and outlives the one that is closed first', async () => {
    await using server = await listen(createServer((_, res) => res.end(event)));
    const one = reader(server.baseUrl);
    await using two = reader(server.baseUrl);
    await one.events.get('auc_1');
    await settle();
    await two.events.get('auc_1');
    await settle();
    expect(server.connections.count).toBe(1);
    await one.close();
    await two.events.get('auc_1');
    expect(server.connections.count).toBe(1);
    expect(await rejection(one.events.get('auc_1'))).toMatchObject({
      name: 'AbortedError',
      outcome: 'not_sent',
    });
  });

  it('keeps connections for bids while nobody reads the photos', async () => {
    await using server = await listen(
      createServer((req, res) => {
        if (req.url?.includes('/media/')) {
          res.writeHead(200, { 'content-type': 'image/jpeg' });
          res.write('half');
          return;
        }
        res.end(JSON.stringify(accepted()));
      }),
    );
    const auction = client(server.baseUrl);
    const abort = new AbortController();
    const photos = Array.from({ length: 70 }, (_, id) =>
      rejection(
        auction.events
          .media('a', 'l', id, { signal: abort.signal })
          .then(({ stream }) => stream.getReader().closed),
      ),
    );
    await settle();
    expect(await auction.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
    abort.abort();
    await Promise.all(photos);
    await auction.close();
  });

  it('closes at once where only a connect is pending that nobody waits for', async () => {
    const { port, arrived, close } = await silentServer();
    const clock = new VirtualClock();
    // Connections of its own: those of other clients stay open until the last of them is closed.
    const auction = reader(`https://127.0.0.1:${port}/api/v1`, { clock, tls: { ca: authority } });
    const failed = rejection(auction.events.get('a', { maxAttempts: 1, timeout: 500 }));
    const socket = await arrived;
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined).resume();
    await clock.advance(500);
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    await auction.close();
    await gone;
    await close();
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'one client may close while another makes its first call (%i turns apart)',
    async (turns) => {
      await using server = await listen(createServer((_, res) => res.end(event)));
      const one = reader(server.baseUrl);
      const two = reader(server.baseUrl);
      await one.events.get('a');
      const closed = one.close();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      expect(await two.events.get('a', { maxAttempts: 1 })).toMatchObject({ id: 'auc_1' });
      await closed;
      expect(await two.events.get('a', { maxAttempts: 1 })).toMatchObject({ id: 'auc_1' });
      await two.close();
    },
  );
});
