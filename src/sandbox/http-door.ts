import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headBytes } from './http-head.js';
import type { Drip, Handle, WireReply, WireRequest } from './wire.js';

/** A listening HTTP server. */
export interface HttpDoor {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

/** Listens; port 0 takes any free one. Bodies beyond `maxBodyBytes` are not read. */
export async function openHttpDoor(
  handle: Handle,
  options: { readonly host: string; readonly port: number; readonly maxBodyBytes: number },
): Promise<HttpDoor> {
  const server = createServer((request, response) => {
    response.on('error', () => request.socket.destroy());
    serve(handle, request, response, options.maxBodyBytes).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { origin: originOf(server), close: () => shut(server) };
}

async function serve(
  handle: Handle,
  request: IncomingMessage,
  response: ServerResponse,
  maxBodyBytes: number,
): Promise<void> {
  const reply = await handle(await wireRequest(request, maxBodyBytes));
  if (reply === 'drop') request.socket.destroy();
  else if (reply.drip !== undefined) await sendSlowly(reply, reply.drip, request, response);
  else send(reply, request, response);
}

async function wireRequest(request: IncomingMessage, maxBodyBytes: number): Promise<WireRequest> {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? '']);
  }
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    headers,
    body: await readBody(request, maxBodyBytes),
    remoteAddress: request.socket.remoteAddress ?? '',
    secure: false,
  };
}

/** A connection that breaks off in the middle of the body makes this reject: there was no request. */
function readBody(request: IncomingMessage, maxBodyBytes: number): Promise<Uint8Array | 'too_large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBodyBytes) {
        request.off('data', take);
        request.pause();
        resolve('too_large');
      } else {
        chunks.push(chunk);
      }
    };
    request.on('data', take);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Error('the request broke off'));
    });
  });
}

function send(reply: WireReply, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  // What is left of an unread body would be taken for the next request.
  const closing = request.complete ? [] : ['Connection', 'close'];
  response.writeHead(reply.status, [...reply.headers.flat(), ...closing]);
  if (reply.cutAt !== undefined) {
    response.write(reply.body.subarray(0, reply.cutAt), () => request.socket.destroy());
  } else if (reply.stream !== undefined) {
    response.flushHeaders();
    const done = reply.stream((text) => {
      response.write(text);
      // Whoever doesn't read is hung up on: what is said would pile up.
      if (response.writableLength > mostUnread) response.destroy();
    });
    response.once('close', done);
    request.resume();
  } else {
    response.end(reply.body);
    // What is unread is drained and thrown away, so that the client gets to read the reply.
    request.resume();
  }
}

/** A head can't be written in parts through the response, so it goes past it, straight into the socket. */
async function sendSlowly(
  reply: WireReply,
  drip: Drip,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { socket } = request;
  request.resume();
  const byHand = drip.part === 'head';
  if (!byHand) {
    response.sendDate = false;
    response.writeHead(reply.status, reply.headers.flat());
    response.flushHeaders();
  }
  const out = byHand ? socket : response;
  const bytes = byHand ? Buffer.concat([headBytes(reply), reply.body]) : reply.body;
  for (let sent = 0; sent < bytes.length; ) {
    const allowed = await drip.allowed(sent);
    if (allowed === 'closed' || socket.destroyed) {
      socket.destroy();
      return;
    }
    out.write(bytes.subarray(sent, allowed));
    sent = allowed;
  }
  out.end();
}

const mostUnread = 4_194_304;

function shut(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}

function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { address: host, port, family }: AddressInfo = address;
  return family === 'IPv6' ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}
