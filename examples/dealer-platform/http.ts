import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { isGone, notFound, Problem, problemOf } from './outcomes.js';

/** Somebody for whom the platform bids. */
export interface Buyer {
  /** `bidder_reference` towards the bank: always the same for the same buyer. */
  readonly reference: string;
  readonly name: string;
}

/** Who has which token. A login with sessions takes its place. */
export interface Accounts {
  /** Token of the people who run the platform. */
  readonly operator: string;
  readonly buyers: readonly (Buyer & { readonly token: string })[];
}

export interface Visit {
  /** What stands in the place of a `{name}` of the route. */
  param(name: string): string;
  readonly query: URLSearchParams;
  /** The JSON object that was sent. @throws Problem where it is none. */
  body(): Promise<Readonly<Record<string, unknown>>>;
  /** The request itself, for bodies that aren't JSON. */
  readonly message: IncomingMessage;
  /** Fires when the browser goes away. For reads: what changes something must not stop half-way. */
  readonly signal: AbortSignal;
}

export type Answer =
  | { readonly status: number; readonly json: unknown }
  | { readonly headers: Readonly<Record<string, string>>; readonly stream: ReadableStream<Uint8Array> };

/** A route for buyers, or for the people who run the platform. */
export type Route = { readonly method: 'GET' | 'POST'; readonly path: string } & (
  | { readonly buyer: (visit: Visit, buyer: Buyer) => Promise<Answer> }
  | { readonly operator: (visit: Visit) => Promise<Answer> }
);

export interface Listening {
  readonly url: string;
  /** Takes no more requests, and resolves once those under way are done, also where nobody waits for them. */
  close(): Promise<void>;
}

/** Serves these routes on this machine; port 0 takes any free one. Whoever has no token gets nothing, not even a 404. */
export async function listen(
  routes: readonly Route[],
  accounts: Accounts,
  port: number,
  log: (line: string) => void,
): Promise<Listening> {
  const visitors = visitorsOf(accounts);
  const underWay = new Set<Promise<unknown>>();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    closed.then(() => gone.abort());
    const handled = respond(request, gone.signal)
      .then((answer) => send(response, answer))
      .catch((error: unknown) => {
        if (gone.signal.aborted || isGone(error)) return response.destroy();
        const { status, code, message, facts } = problemOf(error);
        if (!(error instanceof Problem)) log(`${request.method} ${pathOf(request)}: ${String(error)}`);
        if (response.headersSent) return response.destroy(); // half a file must not pass for a whole one
        return sendJson(response, status, { error: { code, message, ...facts } });
      });
    const both = Promise.all([closed, handled]);
    underWay.add(both);
    both.finally(() => underWay.delete(both));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(underWay);
      server.closeAllConnections(); // browsers keep some in reserve
      await closed;
    },
  };

  async function respond(message: IncomingMessage, signal: AbortSignal): Promise<Answer> {
    const visitor = visitors.get(digest(message.headers.authorization ?? ''));
    if (visitor === undefined) {
      throw new Problem(401, 'unauthorised', 'Send your token as "Authorization: Bearer …".');
    }
    const url = new URL(`http://platform${message.url ?? '/'}`);
    for (const route of routes) {
      const params = route.method === message.method ? paramsOf(route.path, url.pathname) : undefined;
      if (params === undefined) continue;
      const visit: Visit = {
        param: (name) => params[name] ?? '',
        query: url.searchParams,
        body: () => jsonOf(message),
        message,
        signal,
      };
      if ('buyer' in route && visitor !== 'operator') return route.buyer(visit, visitor);
      if ('operator' in route && visitor === 'operator') return route.operator(visit);
    }
    throw notFound();
  }
}

/** A text field of a request. @throws Problem (400) where it is missing or too long. */
export function textOf(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  pattern = /^.{1,200}$/,
): string {
  const value = fields[name];
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new Problem(400, 'invalid', `"${name}" is missing, or is not what it should be.`, { fields: [name] });
}

/** The buyer's own name for what it asks: the same one again means the same thing again. */
export function requestIdOf(fields: Readonly<Record<string, unknown>>): string {
  return textOf(fields, 'request_id', /^[A-Za-z0-9_-]{1,80}$/);
}

/** `?page=`, from 1. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? 1);
  if (Number.isInteger(page) && page >= 1) return page;
  throw new Problem(400, 'invalid', '"page" is a number from 1.', { fields: ['page'] });
}

/** By the digest of their header, so that how long a look-up takes tells nothing of a token. */
function visitorsOf({ operator, buyers }: Accounts): ReadonlyMap<string, Buyer | 'operator'> {
  const tokens = new Map<string, Buyer | 'operator'>([[digest(`Bearer ${operator}`), 'operator']]);
  for (const { token, reference, name } of buyers) {
    if (!/^[A-Za-z0-9_-]{1,120}$/.test(reference))
      throw new Error(`${name}: 1 to 120 letters, digits, _ or -`);
    tokens.set(digest(`Bearer ${token}`), { reference, name });
  }
  if (tokens.size !== buyers.length + 1) throw new Error('Every account needs a token of its own');
  return tokens;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function paramsOf(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[A-Za-z0-9._-]+)');
  return new RegExp(`^${pattern}$`).exec(path)?.groups ?? (template === path ? {} : undefined);
}

/** Without the query: it may hold what isn't for a log. */
function pathOf({ url }: IncomingMessage): string {
  return (url ?? '').replace(/\?.*/s, '');
}

const longestJson = 64 * 1024;

async function jsonOf(message: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const tooLarge = new Problem(413, 'too_large', 'That is too much.');
  if (Number(message.headers['content-length'] ?? 0) > longestJson) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestJson) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // Told below, like other JSON.
  }
  throw new Problem(400, 'invalid', 'Send a JSON object.');
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  if ('json' in answer) return sendJson(response, answer.status, answer.json);
  response.writeHead(200, answer.headers);
  await pipeline(answer.stream, response);
}

function sendJson(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${JSON.stringify(json)}\n`);
}
