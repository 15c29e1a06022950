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
    response.on('error', cut);
    const answer = (body: WireRequest['body']) => serve(handle, request, response, body);
    if (hasBody(request)) readBody(request, options.maxBodyBytes, answer);
    else answer(noBytes);
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

function cut(this: ServerResponse): void {
  this.req.socket.destroy();
}

/** Nothing is awaited where the reply is there at once: that is how most requests go. */
function serve(
  handle: Handle,
  request: IncomingMessage,
  response: ServerResponse,
  body: WireRequest['body'],
): void {
  const closes = body === 'too_large';
  const cutOff = () => request.socket.destroy();
  try {
    const replied = handle({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: paired(request.rawHeaders),
      body,
      remoteAddress: request.socket.remoteAddress ?? '',
      secure: false,
    });
    if (!(replied instanceof Promise)) deliver(replied, request, response, closes)?.catch(cutOff);
    else replied.then((reply) => deliver(reply, request, response, closes)).catch(cutOff);
  } catch {
    // What can't be sent is no reply.
    cutOff();
  }
}

function deliver(
  reply: WireReply | 'drop',
  request: IncomingMessage,
  response: ServerResponse,
  closes: boolean,
): Promise<void> | undefined {
  if (reply === 'drop') request.socket.destroy();
  else if (reply.drip !== undefined) return sendSlowly(reply, reply.drip, request, response);
  else send(reply, request, response, closes);
  return undefined;
}

function paired(raw: readonly string[]): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}

/** A request without these headers ends with its head: there is nothing to wait for. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Reads a body to its end, or to where it is too large. A connection that breaks off before that made no request. */
function readBody(
  request: IncomingMessage,
  maxBodyBytes: number,
  done: (body: WireRequest['body']) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBodyBytes) {
      request.off('data', take);
      request.off('end', end);
      request.pause();
      done('too_large');
    } else {
      chunks.push(chunk);
    }
  };
  const end = () => {
    const [only = noBytes] = chunks;
    done(chunks.length > 1 ? Buffer.concat(chunks) : only);
  };
  request.on('data', take);
  request.on('end', end);
}

function send(reply: WireReply, request: IncomingMessage, response: ServerResponse, closes: boolean): void {
  response.sendDate = false;
  const head: string[] = [];
  for (const [name, value] of reply.headers) head.push(name, value);
  // What is left of an unread body would be taken for the next request.
  if (closes) head.push('Connection', 'close');
  response.writeHead(reply.status, head);
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
    if (reply.body.length > mostInOneWrite) response.end(reply.body);
    // A text goes out in one write with the head; any bytes are some text in Latin-1.
    else response.end(bufferOf(reply.body).toString('latin1'), 'latin1');
    // What is unread is drained and thrown away, so that the client gets to read the reply.
    if (closes) request.resume();
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

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const mostUnread = 4_194_304;
const mostInOneWrite = 16_384;
const noBytes = Buffer.alloc(0);

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
