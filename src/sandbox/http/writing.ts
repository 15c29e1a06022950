import { httpDate } from '../times.js';
import type { Reply } from './replies.js';
import type { Drip, WireReply } from './wire.js';

/** What comes of a request: a cut connection, or a reply and how it is sent. */
export type Outcome =
  | 'drop'
  | { readonly reply: Reply; readonly cut?: number | 'half'; readonly drip?: Drip };

/** The bytes of a reply, and what they are. */
export interface Serialised {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** The same as a text, where it is JSON. */
  readonly json?: string;
}

export function serialised(reply: Reply): Serialised {
  if ('bytes' in reply) return { body: reply.bytes, contentType: reply.contentType };
  if ('html' in reply) {
    return { body: Buffer.from(reply.html, 'utf8'), contentType: 'text/html; charset=utf-8' };
  }
  const json = JSON.stringify(reply.json) ?? 'null';
  return { body: Buffer.from(json, 'utf8'), contentType: 'application/json', json };
}

/** A reply as it goes onto the wire at a server time, Unix milliseconds. */
export function wireReply(
  { reply, cut, drip }: Exclude<Outcome, 'drop'>,
  { body, contentType }: Serialised,
  now: number,
): WireReply {
  const headers: (readonly [string, string])[] = [
    ['Content-Type', contentType],
    ['Content-Length', String(body.length)],
    ['Date', httpDate(now)],
    ...Object.entries(reply.headers ?? {}),
  ];
  const cutAt = cut === 'half' ? Math.floor(body.length / 2) : cut;
  return {
    status: reply.status,
    headers,
    body,
    ...(cutAt !== undefined && { cutAt: Math.min(Math.max(0, cutAt), Math.max(0, body.length - 1)) }),
    ...(drip !== undefined && { drip }),
  };
}
