import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { settle } from '../support/virtual-clock.js';

/** A server that should never hear of us. */
export interface Stranger {
  /** Host and port, as a URL takes them. */
  readonly authority: string;
  /** Every byte that arrived, as text; an empty one for a connection that said nothing. */
  readonly heard: readonly string[];
}

export interface Neighbourhood extends AsyncDisposable {
  /** Where the service listens, on 127.0.0.1. */
  readonly port: number;
  readonly baseUrl: string;
  /** What the service was asked for. */
  readonly requests: readonly { readonly line: string; readonly headers: IncomingHttpHeaders }[];
  /** Connections to the service that were ever opened. */
  readonly connections: { readonly count: number };
  /** One on another port of the same host, and wherever the machine has such addresses, the same port elsewhere. */
  readonly strangers: readonly Stranger[];
  /** All that strangers have heard, whatever was on its way to them included. */
  overheard(): Promise<string[]>;
}

/** A service on loopback, and strangers around it: on another port, and on its own port under other addresses. */
export async function neighbourhood(answer: RequestListener): Promise<Neighbourhood> {
  for (;;) {
    const servers: Server[] = [];
    const sockets = new Set<Socket>();
    const open = (server: Server, host: string, port: number) => {
      servers.push(server);
      server.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
      });
      return listening(server, host, port);
    };
    const close = async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    };

    const requests: { line: string; headers: IncomingHttpHeaders }[] = [];
    const connections = { count: 0 };
    const service = createHttpServer((req, res) => {
      requests.push({ line: `${req.method} ${req.url}`, headers: req.headers });
      answer(req, res);
    });
    service.on('connection', () => {
      connections.count += 1;
    });
    await open(service, '127.0.0.1', 0);
    const port = portOf(service);
    const strangers: Stranger[] = [];
    const results: Result[] = [];
    for (const [host, at] of [
      ['127.0.0.1', 0],
      ['127.0.0.2', port],
      ['::1', port],
    ] as const) {
      const heard: string[] = [];
      const server = createTcpServer((socket) => {
        const index = heard.push('') - 1;
        socket.on('data', (chunk: Buffer) => {
          heard[index] += chunk.toString('latin1');
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
        });
      });
      const result = await open(server, host, at);
      results.push(result);
      const name = host.includes(':') ? `[${host}]` : host;
      if (result === 'listening') strangers.push({ authority: `${name}:${portOf(server)}`, heard });
    }
    // Somebody else has our port at one of the addresses: begin again with another port.
    if (results.includes('taken')) {
      await close();
      continue;
    }
    const overheard = async () => {
      await settle();
      // They answer in the order in which they are called, so what is on its way comes before this.
      for (const server of servers.slice(1)) await knock(server);
      return strangers.flatMap(({ heard }) => heard.filter((text) => text !== KNOCK));
    };
    return {
      port,
      baseUrl: `http://127.0.0.1:${port}/api/v1`,
      requests,
      connections,
      strangers,
      overheard,
      [Symbol.asyncDispose]: close,
    };
  }
}

const KNOCK = 'knock';

async function knock(server: Server): Promise<void> {
  const to = server.address();
  if (to === null || typeof to === 'string') return;
  await new Promise<void>((resolve) => {
    const socket = connect(to.port, to.address, () => socket.write(KNOCK));
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.resume();
  });
}

type Result = 'listening' | 'taken' | 'no such address';

function listening(server: Server, host: string, port: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('taken');
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve('no such address');
      else reject(error);
    });
    server.listen(port, host, () => resolve('listening'));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
