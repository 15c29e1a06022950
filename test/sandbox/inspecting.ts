import { request } from 'node:http';
import type { Sandbox } from '../../src/sandbox/index.js';

/** Where the inspector of a sandbox is. */
export const originOf = (sandbox: Sandbox) => new URL(sandbox.baseUrl).origin;

/** What the page, or a test in any language, sends with a call that changes something. */
export const changing = { 'Content-Type': 'application/json', 'X-Sandbox-Control': '1' };

export interface Answered {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies are compared with literals, field by field
  json: any;
}

/** Sends exactly these headers to the sandbox's server: fetch would choose its own Host. */
export function ask(
  sandbox: Sandbox,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Answered> {
  const url = new URL(path, originOf(sandbox));
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        method,
        host: url.hostname,
        port: url.port,
        path,
        headers: { Host: url.host, ...length, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = response.headers['content-type'] === 'application/json' && text !== '';
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export const read = (sandbox: Sandbox, path: string) => ask(sandbox, 'GET', `/_sandbox${path}`);

export const post = (sandbox: Sandbox, path: string, body: unknown = {}) =>
  ask(sandbox, 'POST', `/_sandbox${path}`, changing, JSON.stringify(body));
