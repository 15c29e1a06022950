import { ConfigurationError } from '../errors/local.js';
import { hmacSha256Hex } from '../signing/signer.js';
import { bytesOf, deliveryHeaders } from './delivery.js';
import { secretsOf } from './signature.js';

/** A test delivery to sign. */
export interface DeliveryToSign {
  /** An event object, serialised once; or text or bytes, sent as they are. */
  readonly body: unknown;
  /** The subscription secret. */
  readonly secret: string;
  /** Time of signing, Unix seconds; defaults to now. */
  readonly timestamp?: number | undefined;
  /** Current time in Unix ms, used without `timestamp`. Defaults to this machine's clock. */
  readonly now?: number | undefined;
}

/** A signed delivery, as the service would send it. */
export interface SignedDelivery {
  readonly headers: {
    /** Unix seconds. */
    readonly 'Service-Timestamp': string;
    /** `v1=` and the signature. */
    readonly 'Service-Signature': string;
    readonly 'Content-Type': string;
    /** Includes `Service-Event-ID` if the body is an object with an `id`. */
    readonly [name: string]: string;
  };
  /** The signed bytes; send exactly these. */
  readonly body: Uint8Array;
}

/**
 * Signs a delivery as the service does, to test a receiver (Authentication, Webhook delivery signature).
 *
 * @throws ConfigurationError for an unusable secret or time, or a body that JSON can't hold.
 */
export function signDelivery(delivery: DeliveryToSign): SignedDelivery {
  const [secret = ''] = secretsOf([delivery.secret]);
  const timestamp = delivery.timestamp ?? Math.floor((delivery.now ?? Date.now()) / 1000);
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw new ConfigurationError('timestamp', 'must be Unix seconds, a whole number', { given: timestamp });
  }
  const body = serialise(delivery.body);
  const eventId = eventIdOf(delivery.body);
  return {
    headers: {
      'Content-Type': 'application/json',
      [deliveryHeaders.timestamp]: String(timestamp),
      [deliveryHeaders.signature]: `v1=${hmacSha256Hex(secret, `${timestamp}.`, body)}`,
      ...(eventId !== undefined && { [deliveryHeaders.eventId]: eventId }),
    },
    body,
  };
}

function serialise(body: unknown): Uint8Array {
  if (typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof ArrayBuffer)
    return bytesOf(body);
  try {
    return bytesOf(JSON.stringify(body));
  } catch (cause) {
    throw new ConfigurationError('body', 'must be an event, text or bytes', { cause: cause });
  }
}

/** The id of an event object, if a header can carry it unchanged. */
function eventIdOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('id' in body)) return undefined;
  return typeof body.id === 'string' && /^[\x21-\x7e]+$/.test(body.id) ? body.id : undefined;
}
