import { createHmac } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { unlessAborted } from '../http/fetch.js';
import { type Address, destinationOf, type Resolve, resolveByDns } from './destination.js';

/**
 * What is wrong on purpose with a delivery: a signature of another secret, a body that isn't the signed one, a signed
 * timestamp of an hour ago, or a header that names another event.
 */
export type Tamper = 'signature' | 'body' | 'timestamp' | 'event-id';

/** What is told, in the bytes that every attempt and every subscription gets. */
export interface FrozenEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
  /** What the receiver of a verification has to repeat. */
  readonly challenge?: string;
}

/** One attempt, ready to be sent. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether it may go to a private address, whatever the sandbox allows otherwise. */
  readonly allowsPrivate?: boolean;
  /** Ends the attempt; its reason is what a transport then rejects with. */
  readonly signal: AbortSignal;
}

/** What a receiver answered. Its body is read so far as it may matter; undefined when it broke off or is too long. */
export interface Answer {
  readonly status: number;
  readonly body: string | undefined;
}

/** Sends an attempt, follows no redirect, and rejects when there is no answer. */
export type Post = (posting: Posting) => Promise<Answer>;

/** Passes attempts to a function of this process: no address is looked up, and no network used. */
export function postInProcess(send: (request: Request) => Promise<Response>): Post {
  return async ({ url, headers, body, signal }) => {
    // A copy, so that no receiver can change what the next attempt carries.
    const init = { method: 'POST', headers, body: new Uint8Array(body), signal, redirect: 'manual' } as const;
    const handOver = async () => send(new Request(url, init));
    const response = await unlessAborted(handOver(), signal);
    return { status: response.status, body: await textOf(response.body ?? [], signal) };
  };
}

/**
 * Posts attempts over the network, each on its own connection. The destination is looked up and checked before every
 * one, and the connection goes to an address that was checked: a name can't change its mind in between.
 */
export function postOverNetwork(allowPrivate: boolean, resolve: Resolve = resolveByDns): Post {
  return async ({ url: text, headers, body, allowsPrivate = false, signal }) => {
    const looked = destinationOf(text, allowPrivate || allowsPrivate, resolve);
    const { url, addresses } = await unlessAborted(looked, signal);
    // Loaded with the first delivery: a sandbox without webhooks doesn't need it.
    const { Agent, request } = await import('undici');
    const agent = new Agent({ connect: { lookup: pinnedTo(addresses) }, pipelining: 0 });
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
      return { status: response.statusCode, body: await textOf(response.body, signal) };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      await agent.destroy();
    }
  };
}

/** Never rejects: once the status has come, that is the answer. */
async function textOf(
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

/** Answers every look-up of a connection with what was looked up and checked before. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first = { address: '', family: 0 }] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Signs a body at a moment (Unix milliseconds): HMAC-SHA256 of the timestamp, a period and the bytes. */
export function signedDelivery(
  secret: string,
  event: Pick<FrozenEvent, 'id' | 'body'>,
  now: number,
  tamper?: Tamper,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } {
  const at = tamper === 'timestamp' ? now - 3_600_000 : now;
  const timestamp = String(Math.floor(at / 1_000));
  const key = tamper === 'signature' ? `not ${secret}` : secret;
  const digest = createHmac('sha256', key).update(`${timestamp}.`).update(event.body).digest('hex');
  return {
    headers: {
      'Content-Type': 'application/json',
      'Service-Timestamp': timestamp,
      'Service-Signature': `v1=${digest}`,
      'Service-Event-ID': tamper === 'event-id' ? `${event.id}x` : event.id,
    },
    // One more space: still the same JSON, and not the signed bytes any more.
    body: tamper === 'body' ? Buffer.concat([event.body, Buffer.from(' ')]) : event.body,
  };
}

/** How much of an answer is read, bytes. */
const mostAnswerBytes = 65_536;
