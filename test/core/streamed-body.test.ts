import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { rejection } from '../support/clients.js';
import { deferred, type Loopback, listen } from '../support/loopback.js';
import { readerOf, requestTo, textOfBody } from '../support/transport-request.js';
import { settle } from '../support/virtual-clock.js';

const transport = undiciTransport();
const transports = { undici: transport, fetch: fetchTransport(globalThis.fetch) };
afterAll(() => transport.close());

const originOf = ({ port }: Loopback) => `http://127.0.0.1:${port}`;

/** A server that reads every body to its end or to where it breaks off, and keeps what it saw. */
function readingServer() {
  const seen: { bytes: Buffer; complete: boolean; from: number | undefined }[] = [];
  let told: () => void = () => undefined;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    const from = req.socket.remotePort;
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('close', () => {
      seen.push({ bytes: Buffer.concat(chunks), complete: req.complete, from });
      told();
    });
    req.on('end', () => res.end('{}'));
  });
  /** Resolves when so many bodies have ended, one way or the other. */
  const ended = async (count: number) => {
    while (seen.length < count) {
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }
  };
  return { server, seen, ended };
}

const bytes = (length: number, fill = 'x') => Buffer.alloc(length, fill);

/** Resolves when the sockets' buffers are full, and a count doesn't change any more. */
async function still(count: () => number): Promise<void> {
  for (let before = -1; before !== count(); ) {
    before = count();
    for (let turn = 0; turn < 20; turn += 1) await settle();
  }
}

describe('a body that is read while it is sent', () => {
  it('is read no faster than the service takes it', async () => {
    const chunk = bytes(64 * 1024);
    const count = 2048;
    let read = 0;
    async function* slowly() {
      for (; read < count; read += 1) yield chunk;
    }
    let request: IncomingMessage | undefined;
    let taken = 0;
    await using service = await listen(
      createServer((req, res) => {
        request = req;
        req.on('end', () => res.end(String(taken)));
      }),
    );
    const sending = transport.send(
      requestTo(originOf(service), { body: slowly(), bodyLength: chunk.length * count }),
    );
    await still(() => (request === undefined ? Number.NaN : read));
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(count / 2);
    request?.on('data', (piece: Buffer) => {
      taken += piece.length;
    });
    expect(await textOfBody((await sending).body)).toBe(String(chunk.length * count));
  });

  it.each([
    ['fails before its first byte', [new Error('disk')]],
    ['fails in the middle', [bytes(4), new Error('disk')]],
    ['is too long', [bytes(4), bytes(7)]],
    ['is too short', [bytes(4), bytes(5)]],
  ])('never completes the request where the reader %s', async (_, chunks) => {
    const { server, seen, ended } = readingServer();
    await using service = await listen(server);
    const { body, use } = readerOf(chunks);
    const failure = await rejection(transport.send(requestTo(originOf(service), { body, bodyLength: 10 })));
    expect(failure).toMatchObject({ sent: 'maybe' });
    const own = chunks.find((chunk) => chunk instanceof Error);
    if (own !== undefined) expect(failure).toMatchObject({ cause: own });
    expect(use.opened).toBe(1);
    expect(use.returned).toBeGreaterThan(0);
    // The connection is not used again.
    const after = await transport.send(requestTo(originOf(service), { body: bytes(3, 'y') }));
    expect(await textOfBody(after.body)).toBe('{}');
    await ended(service.requests.length);
    expect(seen.filter(({ complete }) => complete).map((request) => String(request.bytes))).toEqual(['yyy']);
    expect(new Set(seen.map(({ from }) => from)).size).toBe(seen.length);
  });

  it('is let go of by an abort, though a read hangs', async () => {
    const { server, seen, ended } = readingServer();
    await using service = await listen(server);
    const { body, use } = readerOf([bytes(4), 'hang']);
    const abort = new AbortController();
    const arrived = once(server, 'request');
    const failed = rejection(
      transport.send(requestTo(originOf(service), { body, bodyLength: 10, signal: abort.signal })),
    );
    await arrived;
    expect(use.returned).toBe(0);
    const reason = new Error('enough');
    abort.abort(reason);
    expect(await failed).toMatchObject({ sent: 'maybe', cause: reason });
    expect(use).toEqual({ opened: 1, reads: 2, returned: 1 });
    await ended(1);
    expect(seen[0]).toMatchObject({ complete: false });
  });

  it('is let go of where the service answers before it has all of it', async () => {
    await using service = await listen(
      createServer((_, res) => {
        res.writeHead(413, { 'content-type': 'application/json' });
        res.end('{"success":false}');
      }),
    );
    const { body, use } = readerOf([bytes(4), 'hang']);
    const reply = await transport.send(requestTo(originOf(service), { body, bodyLength: 10 }));
    expect(reply.status).toBe(413);
    expect(await textOfBody(reply.body)).toBe('{"success":false}');
    expect(use.returned).toBe(1);
  });
});

describe('the body of a reply', () => {
  const size = 64 * 1024;
  const count = 512;

  it('is taken no faster than it is read, and arrives in order', async () => {
    let written = 0;
    await using service = await listen(
      createServer((_, res) => {
        const write = () => {
          if (written === count) return res.end();
          written += 1;
          return res.write(bytes(size, String.fromCharCode(96 + (written % 26))), write);
        };
        write();
      }),
    );
    const reply = await transport.send(requestTo(originOf(service), { streams: true }));
    await still(() => written);
    expect(written).toBeLessThan(count / 2);
    const text = await textOfBody(reply.body);
    expect(text).toHaveLength(count * size);
    expect(/^a{65536}b{65536}c{65536}d/.test(text)).toBe(true);
  });

  it.each(Object.entries(transports))(
    'frees its connection where a reader leaves it early: %s',
    async (_, { send }) => {
      const { promise: closed, resolve: left } = deferred();
      await using service = await listen(
        createServer((_, res) => {
          res.on('close', left);
          res.write(bytes(size));
        }),
      );
      const reply = await send(requestTo(originOf(service), { streams: true }));
      for await (const chunk of reply.body) if (chunk.length > 0) break;
      await closed;
    },
  );
});

const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
  Object.entries(transports).map(([name, { send }]) => [status, name, send] as const),
);

it.each(redirects)('A %i is not followed, with a body or without: %s', async (status, _, send) => {
  await using other = await listen(createServer((_, res) => res.end('{}')));
  await using service = await listen(
    createServer((req, res) => {
      req.resume();
      res.writeHead(status, { location: other.baseUrl }).end('over there');
    }),
  );
  for (const body of [undefined, Buffer.from('{}')]) {
    const reply = await send(requestTo(originOf(service), { body }));
    expect(reply).toMatchObject({ status, headers: { location: other.baseUrl } });
    expect(await textOfBody(reply.body)).toBe('over there');
  }
  expect(service.requests).toHaveLength(2);
  expect(other.connections.count).toBe(0);
});
