import { Readable } from 'node:stream';
import {
  canonicalRequest,
  type Transport,
  type TransportReply,
  type TransportRequest,
} from 'vehicle-auction-sdk';
import type { Narrator } from './narrator.js';

/** One request as it left, for comparing attempts with each other. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly bodySha256: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly timestamp: string;
  readonly signature: string;
}

/** Wraps a transport so that every request and reply is told as it passes. */
export function told(inner: Transport, narrator: Narrator): { transport: Transport; seen: Seen[] } {
  const seen: Seen[] = [];
  const transport: Transport = {
    async send(request) {
      seen.push(seenOf(request));
      const body = request.body instanceof Uint8Array ? `  ${new TextDecoder().decode(request.body)}` : '';
      narrator.wire('→', `${request.method} ${request.path}${shortened(body, 170)}`);
      let reply: TransportReply;
      try {
        reply = await inner.send(request);
      } catch (error) {
        narrator.wire('✂', 'the connection broke before a single byte of the reply');
        throw error;
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of reply.body) chunks.push(chunk);
      narrator.wire('←', `HTTP ${reply.status}  ${summary(reply, Buffer.concat(chunks))}`);
      return { ...reply, body: Readable.from(chunks) };
    },
    close: () => inner.close(),
  };
  return { transport, seen };
}

/** The six lines that were signed for a request that passed. */
export function signedLines(request: Seen): string[] {
  const [target = '', query = ''] = request.path.split('?');
  return canonicalRequest({
    method: request.method,
    // What stands before `/api/v1` is sent, never signed.
    path: target.slice(target.indexOf('/api/v1')),
    query: [...new URLSearchParams(query)],
    timestamp: request.timestamp,
    nonce: request.nonce,
    bodySha256: request.bodySha256,
  }).split('\n');
}

function seenOf({ method, path, headers }: TransportRequest): Seen {
  return {
    method,
    path,
    bodySha256: headers['X-Content-SHA256'] ?? '',
    nonce: headers['X-Nonce'] ?? '',
    signature: headers['X-Signature'] ?? '',
    timestamp: headers['X-Timestamp'] ?? '',
  };
}

function summary(reply: TransportReply, body: Buffer): string {
  const type = String(reply.headers['content-type'] ?? '');
  return type.includes('json') ? shortened(body.toString(), 120) : `${type}, ${body.length} bytes`;
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
