import type { Handle, WireReply, WireRequest } from './wire.js';

/** Answers a Fetch request in process. A cut connection rejects with a TypeError, as fetch does. */
export async function fetchThrough(handle: Handle, request: Request): Promise<Response> {
  request.signal.throwIfAborted();
  const url = new URL(request.url);
  const wire: WireRequest = {
    method: request.method,
    target: url.pathname + url.search,
    headers: [...request.headers],
    body: new Uint8Array(await request.arrayBuffer()),
    remoteAddress: '127.0.0.1',
    secure: url.protocol === 'https:',
  };
  const reply = await unlessAborted(handle(wire), request.signal);
  if (reply === 'drop') throw new TypeError('fetch failed', { cause: new Error('the connection was cut') });
  return response(reply, request.method);
}

function response(reply: WireReply, method: string): Response {
  const bodyless = method === 'HEAD' || [204, 205, 304].includes(reply.status);
  const headers = reply.headers.map(([name, value]): [string, string] => [name, value]);
  if (bodyless) return new Response(null, { status: reply.status, headers });
  const body = reply.cutAt === undefined ? reply.body : brokenAfter(reply.body.subarray(0, reply.cutAt));
  return new Response(body, { status: reply.status, headers });
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
