import { createHmac } from 'node:crypto';
import { isoTime } from '../times.js';

/**
 * What is wrong on purpose with a delivery: a signature of another secret, a body that isn't the signed one, a signed
 * timestamp of an hour ago, or a header that names another event.
 */
export type Tamper = 'signature' | 'body' | 'timestamp' | 'event-id';

/** A delivery as one attempt puts it on the wire. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Signs a body at a moment (Unix milliseconds): HMAC-SHA256 of the timestamp, a period and the bytes. */
export function signedDelivery(
  secret: string,
  event: { readonly id: string; readonly body: Uint8Array },
  now: number,
  tamper?: Tamper,
  format: 'unix-seconds' | 'iso-8601' = 'unix-seconds',
): SignedDelivery {
  const at = tamper === 'timestamp' ? now - hourMs : now;
  const timestamp = format === 'unix-seconds' ? String(Math.floor(at / 1_000)) : isoTime(at);
  const key = tamper === 'signature' ? `not ${secret}` : secret;
  const digest = createHmac('sha256', key).update(`${timestamp}.`).update(event.body).digest('hex');
  return {
    headers: {
      'Content-Type': 'application/json',
      'Service-Timestamp': timestamp,
      'Service-Signature': `v1=${digest}`,
      'Service-Event-ID': tamper === 'event-id' ? `${event.id}x` : event.id,
    },
    // One more space: still the same JSON, and not the signed bytes any more.
    body: tamper === 'body' ? Buffer.concat([event.body, Buffer.from(' ')]) : event.body,
  };
}

const hourMs = 3_600_000;
