import { Buffer } from 'node:buffer';
import type { TransportRequest } from '../../src/core/transport/transport.js';

/** A request to a server of a test, straight to a transport; a POST where it has a body. */
export function requestTo(origin: string, over: Partial<TransportRequest> = {}): TransportRequest {
  const { body } = over;
  return {
    origin,
    path: '/api/v1/x?a=1',
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Signature': 'a-signature', 'X-Client-ID': 'cl_7f3a' },
    body,
    bodyLength: body instanceof Uint8Array ? body.length : 0,
    streams: false,
    signal: new AbortController().signal,
    ...over,
  };
}

export async function textOfBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A body to be read, which fails at an error and hangs where told; it counts how it is used. */
export function readerOf(chunks: readonly (Uint8Array | Error | 'hang')[]) {
  const use = { opened: 0, reads: 0, returned: 0 };
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]() {
      use.opened += 1;
      const left = [...chunks];
      return {
        async next() {
          use.reads += 1;
          const chunk = left.shift();
          if (chunk === 'hang') return new Promise(() => undefined);
          if (chunk instanceof Error) throw chunk;
          return chunk === undefined ? { done: true, value: undefined } : { done: false, value: chunk };
        },
        async return() {
          use.returned += 1;
          return { done: true, value: undefined };
        },
      };
    },
  };
  return { body, use };
}
