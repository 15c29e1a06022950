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
