import { createServer, type IncomingMessage } from 'node:http';
import type { Sandbox } from '../../src/sandbox/index.js';
import { listen } from '../support/loopback.js';

/** A request as a hand-made server sees it. */
export interface Asked {
  readonly method: string;
  /** After `/api/v1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** Server time, Unix ms. */
  readonly now: number;
}

/** A reply: JSON, as a tree that may be changed. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies are rewritten field by field
  readonly json: any;
}

/** Changes what a sandbox answers; undefined leaves it as it is. */
export type Rewrite = (asked: Asked, answer: Answer) => Answer | undefined;

/** A server that answers as a sandbox does, but for what `rewrite` changes. */
export async function serverOver({ baseUrl, clock }: Sandbox, rewrite: Rewrite) {
  return listen(
    createServer(async (request, response) => {
      const text = await textOf(request);
      const url = new URL(request.url ?? '', baseUrl);
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
      const method = request.method ?? 'GET';
      const reply = await fetch(url, {
        method,
        headers: headers as Record<string, string>,
        ...(method === 'POST' && { body: text }),
      });
      const answer: Answer = { status: reply.status, json: await reply.json() };
      const asked = {
        method,
        path: url.pathname.replace('/api/v1', ''),
        query: url.searchParams,
        body: text === '' ? {} : JSON.parse(text),
        now: clock.now(),
      };
      const { status, json } = rewrite(asked, answer) ?? answer;
      const kept = ['date', 'x-ratelimit-limit'].map((name) => [name, reply.headers.get(name) ?? '']);
      response
        .writeHead(status, { 'content-type': 'application/json', ...Object.fromEntries(kept) })
        .end(JSON.stringify(json));
    }),
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
