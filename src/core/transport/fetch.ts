import { isObject } from '../../api/check.js';
import { ConfigurationError } from '../../errors/local.js';
import { concatBytes } from '../../runtime/bytes.js';
import { unlessAborted } from '../../runtime/timers.js';
import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
  webStreamChunks,
} from './transport.js';

/**
 * A transport on any WHATWG fetch: the default where undici can't run, and for tests with msw, which sees `globalThis.fetch`
 * and not the default transport (msw puts another fetch there when it starts: take it after that). What it can't do:
 * - a body that is read while it is sent (a file's) is read to memory first, because fetch gives a stream no length;
 * - a failed call counts as sent, because a fetch may have tried more than once by itself. Set `retriesNothing: true`
 *   for one that doesn't (Node's own); then names that don't resolve, refused connections and the server's certificate
 *   count as not sent.
 *
 * The fetch must keep to `redirect: 'manual'`. A reply that followed a redirect all the same counts as a redirect.
 *
 * @throws ConfigurationError if `fetch` is no function.
 */
export function fetchTransport(
  fetch: typeof globalThis.fetch,
  { retriesNothing = false }: FetchTransportOptions = {},
): Transport {
  if (typeof fetch !== 'function')
    throw new ConfigurationError('transport', 'must be made from a fetch function, such as globalThis.fetch');
  return { send: (request) => send(fetch, request, retriesNothing), close: async () => undefined };
}

export interface FetchTransportOptions {
  /** True if the fetch sends a request once and never again by itself; defaults to false. */
  readonly retriesNothing?: boolean | undefined;
}

async function send(
  fetch: typeof globalThis.fetch,
  request: TransportRequest,
  retriesNothing: boolean,
): Promise<TransportReply> {
  const { origin, path, method, headers, signal } = request;
  const body = await inMemory(request);
  if (signal.aborted) throw new TransportFailure('no', signal.reason);
  const init = {
    ...supportedFields(),
    method,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal,
  } as const;
  let response: unknown;
  try {
    response = await fetch(origin + path, init);
  } catch (error) {
    throw new TransportFailure(retriesNothing && aroseBeforeFirstByte(error) ? 'no' : 'maybe', error);
  }
  try {
    const reply = transportReply(response);
    if (!signal.aborted) return reply;
    // The fetch ignores the signal, and nobody waits for this reply any more.
    reply.discard();
  } catch (error) {
    throw new TransportFailure('maybe', error);
  }
  throw new TransportFailure('maybe', signal.reason);
}

/** Fields that keep a browser from caching or from sending cookies. Some server runtimes, which do neither, refuse them. */
const browserFields = [{ cache: 'no-store' }, { credentials: 'omit' }] as const;

let supported: object | undefined;

/** The fields that this runtime's requests accept: Cloudflare Workers with an early compatibility date refuse `cache`. */
function supportedFields(): object {
  const isAccepted = (field: object) => {
    try {
      return Boolean(new Request('https://localhost/', field));
    } catch {
      return typeof Request !== 'function';
    }
  };
  supported ??= Object.assign({}, ...browserFields.filter(isAccepted));
  return supported ?? {};
}

/** Reads the bytes to send into memory. If that fails, fetch is not called. */
async function inMemory({ body, bodyLength, signal }: TransportRequest): Promise<Uint8Array | undefined> {
  if (body === undefined || !(Symbol.asyncIterator in body)) return body;
  const reader = body[Symbol.asyncIterator]();
  try {
    const chunks: Uint8Array[] = [];
    for (;;) {
      // Ends a read that hangs, too.
      const { done, value } = await unlessAborted(reader.next(), signal);
      if (done === true) break;
      chunks.push(value);
    }
    const bytes = concatBytes(chunks);
    if (bytes.length === bodyLength) return bytes;
    throw new Error(`The body has ${bytes.length} bytes, though ${bodyLength} were announced`);
  } catch (error) {
    reader.return?.().catch(() => undefined);
    throw new TransportFailure('no', error);
  }
}

function transportReply(response: unknown): TransportReply {
  if (!isResponse(response)) throw new TypeError('The fetch resolved to something that is not a Response');
  const headers = replyHeaders(response.headers);
  const reader = response.body?.getReader();
  const discard = () => {
    reader?.cancel().catch(() => undefined);
  };
  if (response.type === 'opaqueredirect' || response.redirected) {
    discard();
    return { status: FOUND, headers: {}, body: webStreamChunks(), discard };
  }
  return { status: response.status, headers, body: webStreamChunks(reader), discard };
}

/** A browser's fetch hides the status of a redirect that it doesn't follow; any redirect means the same here. */
const FOUND = 302;

/** Checks the shape, because the reply may be of another realm. The reply of a network failure has no status. */
function isResponse(value: unknown): value is Response {
  if (!isObject(value)) return false;
  const { status, type, headers, body }: Partial<Record<keyof Response, unknown>> = value;
  if (typeof status !== 'number' || (status === 0 && type !== 'opaqueredirect')) return false;
  if (!isObject(headers) || typeof headers['forEach'] !== 'function') return false;
  return body === null || (isObject(body) && typeof body['getReader'] === 'function');
}

function replyHeaders(headers: Headers): TransportReply['headers'] {
  const named = new Map<string, string | string[]>();
  headers.forEach((value, name) => {
    named.set(name.toLowerCase(), value);
  });
  // A fetch decodes a body and keeps its header. The bytes show whether gzip and zstd were decoded, but not these.
  if (/^\s*(br|deflate)\s*$/i.test(named.get('content-encoding')?.toString() ?? ''))
    named.delete('content-encoding');
  const cookies = headers.getSetCookie?.() ?? [];
  if (cookies.length > 0) named.set('set-cookie', cookies);
  return Object.fromEntries(named);
}

/**
 * Whether an error of a fetch arose before any byte of the request could leave. It must be certain: every
 * reason along the causes, and of every address that was tried, has to be of that kind.
 */
function aroseBeforeFirstByte(error: unknown): boolean {
  try {
    return allReasonsAreEarly(error, DEPTH);
  } catch {
    // Reading a property of an unknown error may throw.
    return false;
  }
}

const DEPTH = 8;

function allReasonsAreEarly(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth === 0) return false;
  const { code, syscall, cause, errors }: Partial<Record<'code' | 'syscall' | 'cause' | 'errors', unknown>> =
    error;
  const inner: unknown[] = [
    ...(cause === undefined ? [] : [cause]),
    ...(Array.isArray(errors) ? errors : []),
  ];
  if (code === undefined && inner.length === 0) return false;
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo';
  const isEarly = code === undefined || isConnecting || EARLY_CODE.test(String(code));
  return isEarly && inner.every((reason) => allReasonsAreEarly(reason, depth - 1));
}

/**
 * Codes that arise before any byte is sent. A refused server certificate is certain with Node's fetch: the certificate
 * is checked during the handshake, and nothing is written before that has succeeded. The server's alerts (`ERR_SSL_…`,
 * such as for the client certificate) aren't: TLS 1.3 lets the client write before they come. A reset while connecting
 * looks like any other reset.
 */
const EARLY_CODE =
  /^(ECONNREFUSED$|ENOTFOUND$|EAI_AGAIN$|UND_ERR_CONNECT_TIMEOUT$|ERR_TLS_CERT_ALTNAME_INVALID$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|ERROR_IN_CERT_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|SELF_SIGNED_CERT_|UNABLE_TO_(DECODE|DECRYPT|GET|VERIFY)_)/;
