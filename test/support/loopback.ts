import type { Server } from 'node:http';
import { type AddressInfo, createServer, type Socket, type Server as SocketServer } from 'node:net';

export interface Loopback extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  /** `METHOD path` of every request that arrived. */
  readonly requests: readonly string[];
  /** Connections that were ever opened. */
  readonly connections: { readonly count: number };
}

/** Listens on a free port of 127.0.0.1; leaving the scope ends the server and its sockets. */
export async function listen(server: Server | SocketServer): Promise<Loopback> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const connections = { count: 0 };
  server.on('connection', (socket) => {
    connections.count += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (req) => requests.push(`${req.method} ${req.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    port,
    requests,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that answers nothing, not even a handshake. */
export async function silentServer() {
  const server = createServer(() => undefined);
  const arrived = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Resolves when a connection is open, with what resolves when it is closed. */
    async held() {
      const socket = await arrived;
      const gone = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined).resume();
      return { gone };
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A promise, and the function that resolves it. */
export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
