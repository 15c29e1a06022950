import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { listen } from '../support/loopback.js';
import type { Driver, Script } from './driver.js';

/** The default transport, over a real socket to a real server. */
export async function socketDriver(): Promise<Driver> {
  let script: Script | undefined;
  const server = await listen(
    // Connections that lie idle are kept: how long a test takes must not matter.
    createServer({ keepAliveTimeout: 0 }, (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => reply(script, req, res, Buffer.concat(chunks)));
    }),
  );
  const transport = undiciTransport();
  return {
    baseUrl: server.baseUrl,
    transport,
    framing: (bodyLength) => ({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      ...(bodyLength !== undefined && { 'content-length': String(bodyLength) }),
    }),
    follow: (next) => {
      script = next;
    },
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function reply(
  script: Script | undefined,
  { method = '', url: target = '', rawHeaders }: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
): void {
  const answer = script?.answer({ method, target, headers: headersOf(rawHeaders), body });
  if (answer === undefined || answer === 'held') return;
  if (answer === 'cut') {
    res.socket?.destroy();
    return;
  }
  // Server time is what the script says, not what this machine's clock says.
  res.sendDate = false;
  res.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  res.end(answer.body);
}

/** One that comes twice would show as a list of two. */
function headersOf(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    headers[name] = name in headers ? `${headers[name]}, ${raw[at + 1]}` : (raw[at + 1] ?? '');
  }
  return headers;
}
