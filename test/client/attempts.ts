import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { ClientOptions } from '../../src/client/options.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { countingRandomness, credentials, SECRET } from '../support/clients.js';
import { type Loopback, listen } from '../support/loopback.js';
import type { SentRequest } from '../support/scripted-transport.js';
import { ToldTime } from '../support/told-time.js';
import type { VirtualClock } from '../support/virtual-clock.js';

/** A request as it came over the wire. */
export interface Arrived {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** False where it broke off before its end. */
  readonly complete: boolean;
}

/** What the service does with a whole request: answers, or hangs up. */
export type Answer = { readonly status: number; readonly json: unknown } | 'reset';

export interface Service extends Loopback {
  /** Requests in the order in which they ended, whole or broken off. */
  readonly arrived: readonly Arrived[];
  /** Resolves when no connection is open and no request under way any more. */
  quiet(): Promise<void>;
}

/**
 * A service on loopback that keeps what it was sent. `answer` is asked once a request has come whole, `begun` when its
 * headers have come and before its body is read.
 */
export async function service(
  answer: (count: number) => Answer | Promise<Answer>,
  begun: (req: IncomingMessage) => void | Promise<void> = () => undefined,
): Promise<Service> {
  const arrived: Arrived[] = [];
  let whole = 0;
  let underWay = 0;
  const take = async (req: IncomingMessage, res: ServerResponse) => {
    underWay += 1;
    const chunks: Buffer[] = [];
    req.on('error', () => undefined);
    req.on('close', () => {
      underWay -= 1;
      if (!req.complete) arrived.push(taken(req, chunks));
    });
    await begun(req);
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      arrived.push(taken(req, chunks));
      whole += 1;
      const given = await answer(whole);
      if (given === 'reset') req.socket.resetAndDestroy();
      else
        res.writeHead(given.status, { 'content-type': 'application/json' }).end(JSON.stringify(given.json));
    });
  };
  const server = createServer((req, res) => void take(req, res));
  const place = await listen(server);
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  const quiet = async () => {
    while ((await connections()) > 0 || underWay > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...place, arrived, quiet };
}

function taken(req: IncomingMessage, chunks: readonly Buffer[]): Arrived {
  const { method = '', url: target = '', headers, complete } = req;
  return { method, target, headers, body: Buffer.concat(chunks), complete };
}

/** Options of a client over real sockets and in virtual time; A01 is answered beside the service. */
export function optionsFor(baseUrl: string, clock: VirtualClock): ClientOptions {
  return {
    environment: 'sandbox',
    baseUrl,
    transport: new ToldTime(undiciTransport(), clock),
    credentials: { ...credentials },
    clock,
    randomness: countingRandomness(1),
    logLevel: 'off',
    quota: { scope: 'client' },
  };
}

/** A request of a scripted transport, as it would have come over the wire; without a path before `/api`. */
export function arrivedOf(sent: SentRequest | undefined): Arrived {
  if (sent === undefined) throw new Error('Nothing was sent');
  const { method, path, headers, body = '' } = sent;
  const target = path.slice(path.indexOf('/api/v1'));
  return {
    method,
    target,
    headers: Object.fromEntries(new Headers(headers)),
    body: Buffer.from(body),
    complete: true,
  };
}

/** Lets a call end: whenever it waits to try again, time passes. */
export async function toEnd<T>(call: Promise<T>, clock: VirtualClock): Promise<T> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  call.then(mark, mark);
  while (!settled) {
    // Limits of calls and attempts are 15 s and more, waits between attempts less than 10 s; leases are renewed every 5 s.
    const wait = clock.pending.find((ms) => ms < 10_000 && ms !== 5_000);
    if (wait !== undefined) await clock.advance(wait);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return call;
}

/** Expects copies of one request, each with a nonce, a timestamp and a signature of its own. */
export function expectCopies(arrived: readonly Arrived[], effectiveMethod?: string): void {
  const [first] = arrived;
  const same = ({ method, target, headers, body }: Arrived) => ({
    line: `${method} ${target}`,
    body: createHash('sha256').update(body).digest('hex'),
    length: headers['content-length'],
    type: headers['content-type'],
    digest: headers['x-content-sha256'],
    key: headers['idempotency-key'],
    client: [headers['x-client-id'], headers['x-key-id']],
  });
  for (const one of arrived) expect(same(one)).toEqual(first === undefined ? undefined : same(first));
  for (const name of ['x-nonce', 'x-timestamp', 'x-signature']) {
    expect(new Set(arrived.map(({ headers }) => headers[name])).size, name).toBe(arrived.length);
  }
  for (const one of arrived) expectSigned(one, effectiveMethod);
}

/** Expects a signature over exactly what came. */
export function expectSigned({ method, target, headers, body }: Arrived, effectiveMethod = method): void {
  const [path = '', query = ''] = target.split('?');
  const digest = createHash('sha256').update(body).digest('hex');
  expect(headers['x-content-sha256']).toBe(digest);
  const lines = [effectiveMethod, path, query, headers['x-timestamp'], headers['x-nonce'], digest].join('\n');
  expect(headers['x-signature']).toBe(createHmac('sha256', SECRET).update(lines).digest('hex'));
}
