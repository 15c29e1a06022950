import { createHmac } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { unlessAborted } from '../../runtime/timers.js';
import { type Address, destinationOf, type Resolve, resolveByDns } from './destination.js';

/**
 * Deliberate defect of a delivery: a signature with another secret, a body other than the signed one, a signed
 * timestamp an hour old, or a header with another event id.
 */
export type Tamper = 'signature' | 'body' | 'timestamp' | 'event-id';

/** A serialised event. Every attempt and subscription gets the same bytes. */
export interface FrozenEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
  /** Challenge that the receiver must repeat. */
  readonly challenge?: string;
}

/** A signed attempt. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether this attempt can go to a private address, overriding the sandbox option. */
  readonly allowsPrivate?: boolean;
  /** Aborts the attempt. The transport rejects with its reason. */
  readonly signal: AbortSignal;
}

/** Reply of a receiver. The body is undefined if it was cut off or too long. */
export interface Answer {
  readonly status: number;
  readonly body: string | undefined;
}

/** Sends an attempt without following redirects. Rejects if there is no reply. */
export type Post = (posting: Posting) => Promise<Answer>;

/** Passes attempts to a function in this process, without DNS or network. */
export function postInProcess(send: (request: Request) => Promise<Response>): Post {
  return async ({ url, headers, body, signal }) => {
    // Copy the body, so that a receiver cannot change later attempts.
    const init = { method: 'POST', headers, body: new Uint8Array(body), signal, redirect: 'manual' } as const;
    const handOver = async () => send(new Request(url, init));
    const response = await unlessAborted(handOver(), signal);
    return { status: response.status, body: await readBody(response.body ?? [], signal) };
  };
}

/**
 * Posts attempts over the network, each on a new connection. Resolves and checks the destination every time and
 * connects to a checked address, which prevents DNS rebinding.
 */
export function postOverNetwork(allowPrivate: boolean, resolve: Resolve = resolveByDns): Post {
  return async ({ url: text, headers, body, allowsPrivate = false, signal }) => {
    const looked = destinationOf(text, allowPrivate || allowsPrivate, resolve);
    const { url, addresses } = await unlessAborted(looked, signal);
    const options = { method: 'POST', headers, agent: false, lookup: pinnedTo(addresses), signal } as const;
    const sent = url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
    try {
      const response = await new Promise<IncomingMessage>((answered, failed) => {
        sent.on('response', answered).on('error', failed).end(body);
      });
      return { status: response.statusCode ?? 0, body: await readBody(response, signal) };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      sent.destroy();
    }
  };
}

/** Reads a reply body. Never rejects, because the status alone is a valid reply. */
async function readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Answer['body']> {
  const chunks: Uint8Array[] = [];
  const read = async () => {
    let size = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostAnswerBytes) return undefined;
    }
    return Buffer.concat(chunks).toString('utf8');
  };
  try {
    return await unlessAborted(read(), signal);
  } catch {
    return undefined;
  }
}

/** DNS lookup function that returns only the checked addresses. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first = { address: '', family: 0 }] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Signs a delivery at `now` (Unix milliseconds) with HMAC-SHA256 over timestamp, period and body. */
export function signedDelivery(
  secret: string,
  event: Pick<FrozenEvent, 'id' | 'body'>,
  now: number,
  { tamper, timestampOf = unixSeconds }: SigningChoices = {},
): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } {
  const at = tamper === 'timestamp' ? now - 3_600_000 : now;
  const timestamp = timestampOf(at);
  const key = tamper === 'signature' ? `not ${secret}` : secret;
  const digest = createHmac('sha256', key).update(`${timestamp}.`).update(event.body).digest('hex');
  return {
    headers: {
      'Content-Type': 'application/json',
      'Service-Timestamp': timestamp,
      'Service-Signature': `v1=${digest}`,
      'Service-Event-ID': tamper === 'event-id' ? `${event.id}x` : event.id,
    },
    // An added space keeps the JSON equal but changes the signed bytes.
    body: tamper === 'body' ? Buffer.concat([event.body, Buffer.from(' ')]) : event.body,
  };
}

interface SigningChoices {
  readonly tamper?: Tamper | undefined;
  /** Writes `Service-Timestamp`. Defaults to Unix seconds. */
  readonly timestampOf?: (ms: number) => string;
}

const unixSeconds = (ms: number) => String(Math.floor(ms / 1_000));

/** Maximum reply body, bytes. */
const mostAnswerBytes = 65_536;
