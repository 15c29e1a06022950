import { connect } from 'node:net';
import type { Sandbox, SandboxCredentials } from '../../src/sandbox/index.js';
import { type Sent, signed } from './caller.js';

/** Writes bytes to the sandbox's real socket and gives all that comes back until the connection ends. */
export function rawExchange(sandbox: Sandbox, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(sandbox.baseUrl);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/** The bytes of a signed HTTP/1.1 request that asks for the connection to be closed afterwards. */
export function rawRequest(
  sandbox: Sandbox,
  who: SandboxCredentials,
  sent: Sent,
  extra: string[] = [],
): Buffer {
  const { method, target, headers, body } = signed(sandbox, who, sent);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: sandbox',
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body.length === 0 ? [] : [`Content-Length: ${body.length}`]),
    ...extra,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

export const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1]);
export const bodyOf = (reply: string) => reply.slice(reply.indexOf('\r\n\r\n') + 4);
