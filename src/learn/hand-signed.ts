import type { Transport } from '../core/transport/transport.js';
import type { Clock } from '../ports/clock.js';
import { onceAborted } from '../runtime/timers.js';
import { signRequest } from '../signing/sign.js';
import type { SigningCredentials } from '../signing/signer.js';
import { type Exchange, isRecord } from './exchange.js';

/** A request that no method of the client sends, such as one with a repeated query parameter. */
export interface HandSigned {
  readonly method: 'GET' | 'POST';
  /** After `/api/v1`. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** Added to the signed headers; without `accept` none is sent. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HandSigning {
  readonly baseUrl: string;
  readonly credentials: SigningCredentials;
  readonly transport: Transport;
}

const TIMEOUT_MS = 15_000;
const MOST_CHARACTERS = 4_000_000;

/** What one request takes from the run. */
export interface HandSending {
  readonly clock: Clock;
  /** Server time, Unix ms. */
  readonly now: number;
  readonly nonce: string;
  readonly signal: AbortSignal | undefined;
}

/** Signs and sends one request; undefined if no reply comes that can be read. */
export async function sendByHand(
  { baseUrl, credentials, transport }: HandSigning,
  { method, path, query = [], body, headers = { accept: 'application/json' } }: HandSigned,
  { clock, now, nonce, signal }: HandSending,
): Promise<Omit<Exchange, 'request'> | undefined> {
  const { origin, pathname } = new URL(baseUrl);
  const root = pathname.replace(/\/api\/v1\/?$/, '');
  const signed = signRequest({
    ...credentials,
    method,
    path: `/api/v1${path}`,
    query: new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])),
    timestamp: Math.floor(now / 1_000),
    nonce,
    ...(body !== undefined && { body }),
  });
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const ended = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => ended.abort());
  const unfollow = onceAborted(signal, () => ended.abort());
  try {
    const reply = await transport.send({
      origin,
      path: `${root}/api/v1${path}${signed.canonicalQuery === '' ? '' : `?${signed.canonicalQuery}`}`,
      method,
      headers: {
        ...signed.headers,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: bytes,
      bodyLength: bytes?.length ?? 0,
      streams: false,
      signal: ended.signal,
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of reply.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MOST_CHARACTERS) return undefined;
    }
    // Some services quote the request in a refusal.
    return exchangeOf(
      reply.status,
      JSON.parse(text.replaceAll(signed.headers['X-Signature'], '[signature]')),
    );
  } catch {
    // No reply, a reply that broke off, or one that is not JSON: nothing to learn from.
    return undefined;
  } finally {
    cancel();
    unfollow();
  }
}

function exchangeOf(status: number, body: unknown): Omit<Exchange, 'request'> {
  if (status < 400) return { status, body, codes: [], message: undefined, fields: [] };
  const { code, errors, message } = isRecord(body) ? body : {};
  const codes = [code, ...(Array.isArray(errors) ? errors : [])].filter((one) => typeof one === 'string');
  return {
    status,
    body: undefined,
    codes: [...new Set(codes)],
    message: typeof message === 'string' ? message : undefined,
    fields: isRecord(errors) ? Object.keys(errors) : [],
  };
}
