import { required } from '../../runtime/required.js';
import { unlessAborted } from '../../runtime/timers.js';
import type { Handle, WireRequest } from './wire.js';

/** Answers a Fetch request in process. Rejects with a TypeError if the connection is cut, like fetch. */
export async function fetchThrough(handle: Handle, request: Request): Promise<Response> {
  request.signal.throwIfAborted();
  const url = new URL(request.url);
  const wire: WireRequest = {
    method: request.method,
    target: url.pathname + url.search,
    // A request over the network always has this header.
    headers: request.headers.has('host') ? [...request.headers] : [['Host', url.host], ...request.headers],
    body: new Uint8Array(await request.arrayBuffer()),
    remoteAddress: '127.0.0.1',
    secure: url.protocol === 'https:',
  };
  const reply = await unlessAborted(handle(wire), request.signal);
  if (reply === 'drop') throw new TypeError('fetch failed', { cause: new Error('the connection was cut') });
  const { status, pieces } = reply;
  const headers = reply.headers.map(([name, value]): [string, string] => [name, value]);
  const isBodyless = request.method === 'HEAD' || [204, 205, 304].includes(status);
  if (isBodyless) return new Response(null, { status, headers });
  if (pieces === undefined) return new Response(new Uint8Array(reply.body), { status, headers });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await unlessAborted(pieces.next(), request.signal);
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
  return new Response(body, { status, headers });
}

/**
 * Returns msw 2 handlers for all methods under `baseUrl`. Only this function loads msw. Throws if msw is not
 * installed.
 */
export function mswHandlers<Handler>(handle: Handle, baseUrl: string): Handler[] {
  const { http }: Msw = loadMsw();
  const handlers: unknown[] = [http.all(under(baseUrl), ({ request }) => mswResponse(handle, request))];
  return handlers as Handler[];
}

/** The part of msw in use. */
interface Msw {
  readonly http: {
    all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): unknown;
  };
}

function loadMsw(): Msw {
  try {
    return required('msw') as Msw;
  } catch (cause) {
    const what = 'handlers() failed: the optional peer dependency msw is not installed.';
    throw new Error(`${what} Run npm install --save-dev msw@2.`, { cause });
  }
}

/**
 * Matches a URL and all paths below it. Has no capture groups, because msw decodes captures and paths may be
 * hostile.
 */
function under(baseUrl: string): RegExp {
  return new RegExp(`^${baseUrl.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|$)`);
}

/** msw turns a thrown error into a 500. A cut connection must stay a network error. */
async function mswResponse(handle: Handle, request: Request): Promise<Response> {
  try {
    return await fetchThrough(handle, request);
  } catch {
    return Response.error();
  }
}
