import type { Outcome } from './carrier.js';
import type { Variants } from './variants.js';
import type { WireReply } from './wire.js';
import { announcements, serialised } from './writing.js';

/** A reply as it goes onto the wire at a server time, Unix milliseconds. */
export function wireReply(
  { reply, cut, drip }: Exclude<Outcome, 'drop'>,
  now: number,
  variants: Variants,
): WireReply {
  const { body, contentType } = serialised(reply, variants);
  const cutAt = cut === 'half' ? Math.floor(body.length / 2) : cut;
  return {
    status: reply.status,
    headers: [
      ['Content-Type', contentType],
      ['Content-Length', String(body.length)],
      ['Date', new Date(now).toUTCString()],
      ...announcements(variants),
      ...Object.entries(reply.headers ?? {}),
    ],
    body,
    ...(cutAt !== undefined && { cutAt: Math.min(Math.max(0, cutAt), Math.max(0, body.length - 1)) }),
    ...(drip !== undefined && { drip }),
  };
}
