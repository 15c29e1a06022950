import { createRequire } from 'node:module';
import { headBytes } from './server.js';
import type { Drip, Handle, WireReply, WireRequest } from './wire.js';

/** Answers a Fetch request in process. A cut connection rejects with a TypeError, as fetch does. */
export async function fetchThrough(handle: Handle, request: Request): Promise<Response> {
  request.signal.throwIfAborted();
  const url = new URL(request.url);
  const wire: WireRequest = {
    method: request.method,
    target: url.pathname + url.search,
    // A request off the wire always has it.
    headers: request.headers.has('host') ? [...request.headers] : [['Host', url.host], ...request.headers],
    body: new Uint8Array(await request.arrayBuffer()),
    remoteAddress: '127.0.0.1',
    secure: url.protocol === 'https:',
  };
  const reply = await unlessAborted(withHead(handle(wire)), request.signal);
  if (reply === 'drop') throw new TypeError('fetch failed', { cause: new Error('the connection was cut') });
  return response(reply, request);
}

function response(reply: WireReply, { method, signal }: Request): Response {
  const bodyless = method === 'HEAD' || [204, 205, 304].includes(reply.status);
  const headers = reply.headers.map(([name, value]): [string, string] => [name, value]);
  if (bodyless) return new Response(null, { status: reply.status, headers });
  return new Response(bodyOf(reply, signal), { status: reply.status, headers });
}

function bodyOf(reply: WireReply, signal: AbortSignal): ConstructorParameters<typeof Response>[0] {
  if (reply.drip !== undefined) return dripping(reply, reply.drip, signal);
  return reply.cutAt === undefined ? reply.body : brokenAfter(reply.body.subarray(0, reply.cutAt));
}

/** The body as far as it may have come; where the head comes in drops too, its bytes are counted first. */
function dripping(reply: WireReply, drip: Drip, signal: AbortSignal): ReadableStream<Uint8Array> {
  const before = drip.part === 'head' ? headBytes(reply).length : 0;
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent >= reply.body.length) return controller.close();
      const allowed = await unlessAborted(drip.allowed(before + sent), signal);
      if (allowed === 'closed') throw new TypeError('terminated');
      const upTo = Math.min(allowed - before, reply.body.length);
      controller.enqueue(reply.body.slice(sent, upTo));
      sent = upTo;
    },
  });
}

/** Waits until the whole head may have come. */
async function withHead(replied: ReturnType<Handle>): Promise<WireReply | 'drop'> {
  const reply = await replied;
  if (reply === 'drop' || reply.drip?.part !== 'head') return reply;
  const all = headBytes(reply).length;
  for (let sent = 0; sent < all; ) {
    const allowed = await reply.drip.allowed(sent);
    if (allowed === 'closed') return 'drop';
    sent = allowed;
  }
  return reply;
}

function brokenAfter(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent || bytes.length === 0) {
        controller.error(new TypeError('terminated'));
      } else {
        sent = true;
        controller.enqueue(bytes);
      }
    },
  });
}

/** Whoever asked stops waiting; the service goes on, as a server would. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Handlers for msw 2 that answer whatever goes to `baseUrl`, of any method. msw is loaded here and nowhere else, so that
 * nobody needs it who doesn't ask. Throws where it can't be loaded.
 */
export function mswHandlers<Handler>(handle: Handle, baseUrl: string): Handler[] {
  const { http }: Msw = loadMsw();
  const handlers: unknown[] = [http.all(under(baseUrl), ({ request }) => answer(handle, request))];
  return handlers as Handler[];
}

/** What is needed of msw. */
interface Msw {
  readonly http: {
    all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): unknown;
  };
}

function loadMsw(): Msw {
  try {
    return createRequire(import.meta.url)('msw');
  } catch (cause) {
    throw new Error(
      'handlers() is for msw, an optional peer dependency that is not there: npm install --save-dev msw@2',
      { cause },
    );
  }
}

/** Every address at and below a URL. It captures nothing, for msw decodes what is captured, and paths may be hostile. */
function under(baseUrl: string): RegExp {
  return new RegExp(`^${baseUrl.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|$)`);
}

/** msw turns what a resolver throws into a 500; a cut connection must stay a network error. */
async function answer(handle: Handle, request: Request): Promise<Response> {
  try {
    return await fetchThrough(handle, request);
  } catch {
    return Response.error();
  }
}
