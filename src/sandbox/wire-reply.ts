import type { Outcome } from './carrier.js';
import { httpDate } from './times.js';
import type { Variants } from './variants.js';
import type { WireReply } from './wire.js';
import { announcements, type Serialised } from './writing.js';

/** A reply as it goes onto the wire at a server time, Unix milliseconds. */
export function wireReply(
  { reply, cut, drip }: Exclude<Outcome, 'drop'>,
  { body, contentType }: Serialised,
  now: number,
  variants: Variants,
): WireReply {
  const { status } = reply;
  const headers: (readonly [string, string])[] = [
    ['Content-Type', contentType],
    ['Content-Length', String(body.length)],
    ['Date', httpDate(now)],
    ...announcements(variants),
  ];
  if (reply.headers !== undefined) headers.push(...Object.entries(reply.headers));
  if (cut === undefined && drip === undefined) return { status, headers, body };
  const cutAt = cut === 'half' ? Math.floor(body.length / 2) : cut;
  return {
    status,
    headers,
    body,
    ...(cutAt !== undefined && { cutAt: Math.min(Math.max(0, cutAt), Math.max(0, body.length - 1)) }),
    ...(drip !== undefined && { drip }),
  };
}
