import dns from 'node:dns';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type BidOutcome, type ClientOptions, memoryStore } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { authority, server as identity } from '../support/certificates.js';
import { isThorough } from '../support/thorough.js';
import { dealerOf, isLong, oneAuction } from './killing.js';

/** Real sockets to a service, through a proxy or by a name, that are gone for a while: what bids that are placed meanwhile come to. */

const BIDS = 24;
/** In the long form an outage lasts four seconds; in the short one until so many connections have failed. */
const OUTAGE_MS = 4_000;
const FAILURES = 30;

/** Whether something is gone, and who asks it meanwhile. */
class Outage {
  #failed = 0;
  #begunAt: number | undefined;

  begin(): void {
    this.#begunAt = performance.now();
  }

  /** Counts one that fails, while it lasts. */
  strikes(): boolean {
    if (this.#begunAt === undefined) return false;
    const isOver = isLong ? performance.now() - this.#begunAt > OUTAGE_MS : this.#failed >= FAILURES;
    if (isOver) return false;
    this.#failed += 1;
    return true;
  }

  get failed(): number {
    return this.#failed;
  }
}

/** How a connection fails while something is gone. */
type Refusal = (socket: Socket) => void;

const reset: Refusal = (socket) => socket.resetAndDestroy();
const answering =
  (head: string): Refusal =>
  (socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\ncontent-length: 2\r\n\r\nno`));
  };

interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Ends every connection that it relays. */
  cut(): void;
}

/** Hands out connections on a port of loopback, and none while there is an outage. */
async function relay(
  server: Server,
  outage: Outage,
  refuse: Refusal,
  serve: (socket: Socket) => void,
): Promise<Relay> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (outage.strikes()) {
      refuse(socket);
      return;
    }
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const dispose = async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: address.port, cut, [Symbol.asyncDispose]: dispose };
}

function join(one: Socket, port: number, greeting = '', head = Buffer.alloc(0)): void {
  const other = connect(port, '127.0.0.1', () => {
    one.write(greeting);
    other.write(head);
    one.pipe(other).pipe(one);
  });
  other.on('error', () => one.destroy());
  one.on('close', () => other.destroy());
}

/** A proxy that opens tunnels to one port, whatever host it is asked for. */
function proxyTo(port: number, outage: Outage, refuse: Refusal): Promise<Relay> {
  return relay(createServer(), outage, refuse, (socket) => {
    socket.once('data', () => join(socket, port, 'HTTP/1.1 200 Connection established\r\n\r\n'));
  });
}

/** What speaks TLS in front of the sandbox. */
async function tlsTo(port: number): Promise<Relay> {
  const server = createTlsServer(identity);
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    join(socket, port);
  });
  return relay(server, new Outage(), reset, () => undefined);
}

async function evening(): Promise<Sandbox> {
  const lots = Array.from({ length: BIDS }, () => ({}));
  return startSandbox({ rateLimit: false, seed: oneAuction('evening', lots) });
}

/** Places a bid on every lot at once. What it needs is gone once some of them have arrived. */
async function placeThrough(
  sandbox: Sandbox,
  { begin, ...options }: Pick<ClientOptions, 'baseUrl' | 'proxy' | 'tls'> & { readonly begin: () => void },
): Promise<readonly BidOutcome[]> {
  const client = dealerOf(sandbox, {
    ...options,
    quota: { limit: 10_000, scope: 'client' },
    store: memoryStore(),
    logLevel: 'off',
  });
  try {
    await client.verify();
    let arrived = 0;
    const where = () => {
      arrived += 1;
      if (arrived === BIDS / 3) begin();
      return false;
    };
    // A fault that strikes nothing: it only sees what arrives.
    sandbox.inject({
      operation: 'bids.submit',
      fault: 'delay',
      ms: 1,
      times: Number.POSITIVE_INFINITY,
      where,
    });
    const { lots } = sandbox.auctions.get('evening');
    return await Promise.all(
      lots.map(({ id: lot, startingPrice: amount }) => client.bids.place({ lot, amount })),
    );
  } finally {
    await client.close();
  }
}

function expectAllPlaced(sandbox: Sandbox, outcomes: readonly BidOutcome[], outage: Outage): void {
  expect(outage.failed).toBeGreaterThan(BIDS / 3);
  expect(outcomes.map(({ status }) => status)).toEqual(Array(BIDS).fill('accepted'));
  expect(sandbox.ledger()).toHaveLength(BIDS);
  const ids = new Set(outcomes.map((outcome) => 'bidId' in outcome && outcome.bidId));
  expect(ids).toEqual(new Set(sandbox.ledger().map(({ bidId }) => bidId)));
}

afterEach(() => vi.restoreAllMocks());

describe('twenty-four bids at once, in the middle of which', () => {
  it.concurrent.each<[what: string, refuse: Refusal]>([
    ['resets every connection', reset],
    ['hangs up', (socket) => socket.end()],
    ['answers 502', answering('502 Bad Gateway')],
    ['wants another password', answering('407 Proxy Authentication Required')],
    ['answers nothing, and hangs up later', (socket) => setTimeout(() => socket.destroy(), 300)],
  ])('the proxy %s, are all accepted once it is back', async (_, refuse) => {
    await using sandbox = await evening();
    const outage = new Outage();
    await using service = await tlsTo(portOf(sandbox.baseUrl));
    await using proxy = await proxyTo(service.port, outage, refuse);
    const begin = () => {
      outage.begin();
      proxy.cut();
    };
    const outcomes = await placeThrough(sandbox, {
      baseUrl: 'https://bank.test/api/v1',
      begin,
      proxy: `http://127.0.0.1:${proxy.port}`,
      tls: { ca: authority },
    });
    expectAllPlaced(sandbox, outcomes, outage);
  });

  it.concurrent('the backend resets every connection, are all accepted once it is back', async () => {
    await using sandbox = await evening();
    const outage = new Outage();
    const port = portOf(sandbox.baseUrl);
    await using backend = await relay(createServer(), outage, reset, (socket) => join(socket, port));
    const begin = () => {
      outage.begin();
      backend.cut();
    };
    const baseUrl = sandbox.baseUrl.replace(`:${port}`, `:${backend.port}`);
    expectAllPlaced(sandbox, await placeThrough(sandbox, { baseUrl, begin }), outage);
  });

  it.each(isThorough ? ['ENOTFOUND', 'EAI_AGAIN'] : ['EAI_AGAIN'])(
    'names are no longer resolved (%s), are all accepted once they are',
    async (code) => {
      await using sandbox = await evening();
      const outage = new Outage();
      const port = portOf(sandbox.baseUrl);
      await using service = await tlsTo(port);
      const lookup: unknown = (
        name: string,
        options: { all?: boolean },
        callback: (...result: unknown[]) => void,
      ) => {
        const isGone = name === 'bank.test' && outage.strikes();
        const error = Object.assign(new Error(`getaddrinfo ${code} ${name}`), {
          code,
          syscall: 'getaddrinfo',
        });
        const found = options.all === true ? [[{ address: '127.0.0.1', family: 4 }]] : ['127.0.0.1', 4];
        queueMicrotask(() => callback(...(isGone ? [error] : [null, ...found])));
      };
      vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
      const begin = () => {
        outage.begin();
        service.cut();
      };
      const baseUrl = `https://bank.test:${service.port}/api/v1`;
      const outcomes = await placeThrough(sandbox, { baseUrl, begin, tls: { ca: authority } });
      expectAllPlaced(sandbox, outcomes, outage);
    },
  );
});

function portOf(baseUrl: string): number {
  return Number(new URL(baseUrl).port);
}
