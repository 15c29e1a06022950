import type { LookupFunction } from 'node:net';
import { type Address, destinationOf, type Resolve, resolveByDns } from './destination.js';

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

/** How much of an answer is read, bytes. */
export const mostAnswerBytes = 65_536;

/** `work`, unless the signal ends the wait for it first. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Hands attempts to a function of this process: no address is looked up, and no network used. */
export function postInProcess(send: (request: Request) => Promise<Response>): Post {
  return async (posting) => {
    const response = await orAborted(handOver(send, posting), posting.signal);
    return { status: response.status, body: await bodyOf(response, posting.signal) };
  };
}

async function handOver(send: (request: Request) => Promise<Response>, posting: Posting): Promise<Response> {
  const { url, headers, body, signal } = posting;
  return send(
    // A copy, so that no receiver can change what the next attempt carries.
    new Request(url, { method: 'POST', headers, body: new Uint8Array(body), signal, redirect: 'manual' }),
  );
}

async function bodyOf(response: Response, signal: AbortSignal): Promise<Answer['body']> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return Buffer.concat(chunks).toString('utf8');
      chunks.push(value);
      size += value.length;
      if (size > mostAnswerBytes) break;
    }
  } catch {
    // The status has come: that is the answer.
  }
  reader.cancel().catch(() => {});
  return undefined;
}

/**
 * Posts attempts over the network, each on a connection of its own. The destination is looked up and checked before every
 * one, and the connection goes to an address that was checked: a name can't change its mind in between.
 */
export function postOverNetwork(allowPrivate: boolean, resolve: Resolve = resolveByDns): Post {
  return async ({ url: text, headers, body, allowsPrivate = false, signal }) => {
    const looked = destinationOf(text, allowPrivate || allowsPrivate, resolve);
    const { url, addresses } = await orAborted(looked, signal);
    // Loaded with the first delivery: a sandbox without webhooks doesn't need it.
    const { Agent, request } = await import('undici');
    const agent = new Agent({ connect: { lookup: pinnedTo(addresses) }, pipelining: 0 });
    try {
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent });
      return { status: response.statusCode, body: await textOf(response.body) };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      await agent.destroy();
    }
  };
}

/** Never rejects: once the status has come, that is the answer. */
async function textOf(body: AsyncIterable<Uint8Array>): Promise<Answer['body']> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostAnswerBytes) return undefined;
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Answers every look-up of a connection with what was looked up and checked before. */
function pinnedTo(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) {
      callback(
        null,
        addresses.map((each) => ({ ...each })),
      );
      return;
    }
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family ?? 0);
  };
}
