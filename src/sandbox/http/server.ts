import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOnly, serialised, wireReply } from './replies.js';
import type { Handle, WireReply, WireRequest } from './wire.js';

/** A listening HTTP server. */
export interface HttpServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server; port 0 selects a free port. Bodies over `maxBodyBytes` are not read. All bodies in memory
 * share a budget of twice `maxBodyBytes`, at least 64 MiB; a request over budget gets a 429.
 */
export async function listen(
  handle: Handle,
  options: { readonly host: string; readonly port: number; readonly maxBodyBytes: number },
): Promise<HttpServer> {
  const bodies = new BodyReader(options.maxBodyBytes);
  // Idle connections stay open until the client or the sandbox closes them.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.on('error', () => request.socket.destroy());
    const answer = (body: WireRequest['body']) => serve(handle, request, response, body);
    if (!hasBody(request)) void answer(noBytes);
    else void bodies.read(request, answer, () => sendReply(tooManyBodies(), request, response, true));
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
  body: WireRequest['body'],
): Promise<void> {
  try {
    const reply = await handle({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: paired(request.rawHeaders),
      body,
      remoteAddress: request.socket.remoteAddress ?? '',
      secure: false,
    });
    if (reply === 'drop') request.socket.destroy();
    else if (reply.pieces !== undefined) await sendPieces(reply, reply.pieces, request, response);
    else sendReply(reply, request, response, body === 'too_large');
  } catch {
    // The reply cannot be sent, so cut the connection.
    request.socket.destroy();
  }
}

function paired(raw: readonly string[]): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}

/** A request without these headers has no body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Reads bodies within a shared memory budget. */
class BodyReader {
  readonly #mostEach: number;
  readonly #mostAtOnce: number;
  #held = 0;

  constructor(maxBodyBytes: number) {
    this.#mostEach = maxBodyBytes;
    this.#mostAtOnce = Math.max(2 * maxBodyBytes, 67_108_864);
  }

  /** Reads a body to its end or its size limit. A connection lost before that is no request. */
  async read(
    request: IncomingMessage,
    answer: (body: WireRequest['body']) => Promise<void>,
    refuse: () => void,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    let length = 0;
    const release = () => {
      this.#held -= length;
      length = 0;
    };
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        if (length + chunk.length > this.#mostEach) {
          release();
          return await answer('too_large');
        }
        if (this.#held + chunk.length > this.#mostAtOnce) return refuse();
        length += chunk.length;
        this.#held += chunk.length;
        chunks.push(chunk);
      }
      const [only = noBytes] = chunks;
      // The memory counts until the reply is sent.
      await answer(chunks.length > 1 ? Buffer.concat(chunks) : only);
    } catch {
      // The client disconnected.
    } finally {
      release();
    }
  }
}

function tooManyBodies(): WireReply {
  const message = 'Too many large request bodies at once. Retry after one second.';
  const reply = messageOnly(429, message, { 'Retry-After': '1' });
  return wireReply({ reply }, serialised(reply), Date.now());
}

function sendReply(
  reply: WireReply,
  request: IncomingMessage,
  response: ServerResponse,
  closes: boolean,
): void {
  response.sendDate = false;
  const head: string[] = [];
  for (const [name, value] of reply.headers) head.push(name, value);
  // The rest of an unread body would be parsed as the next request.
  if (closes) head.push('Connection', 'close');
  response.writeHead(reply.status, head);
  const { body } = reply;
  // A small body is sent as Latin-1 text, which Node writes together with the head.
  if (body.length > mostInOneWrite) response.end(body);
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'), 'latin1');
  // Drain the unread body so that the client can read the reply.
  if (closes) request.resume();
}

/** Sends a body in pieces. Rejects if the generator throws, which cuts the connection. */
async function sendPieces(
  { status, headers }: WireReply,
  pieces: AsyncGenerator<Uint8Array, void>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  response.sendDate = false;
  response.writeHead(status, headers.flat());
  response.flushHeaders();
  for await (const piece of pieces) {
    if (request.socket.destroyed) return;
    await new Promise((resolve) => response.write(piece, resolve));
  }
  response.end();
}

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
