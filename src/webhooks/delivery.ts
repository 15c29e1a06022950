import { WebhookVerificationError } from '../errors/webhook.js';
import { isArrayBuffer } from '../runtime/bytes.js';

/**
 * Headers of a delivery: a Fetch `Headers` (or any iterable of pairs), Node's `IncomingHttpHeaders`, or a plain
 * object. Names match in any case.
 */
export type HeaderSource =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers that a delivery carries (Authentication, Webhook delivery signature; Events, Delivery model). */
export const deliveryHeaders = {
  timestamp: 'Service-Timestamp',
  signature: 'Service-Signature',
  eventId: 'Service-Event-ID',
} as const;

/** All values of each header, so that repeated headers are detected. */
export interface DeliveryValues {
  readonly timestamp: unknown[];
  readonly signature: unknown[];
  readonly eventId: unknown[];
}

const valueNames: ReadonlyMap<string, keyof DeliveryValues> = new Map([
  [deliveryHeaders.timestamp.toLowerCase(), 'timestamp'],
  [deliveryHeaders.signature.toLowerCase(), 'signature'],
  [deliveryHeaders.eventId.toLowerCase(), 'eventId'],
]);

export function deliveryValues(headers: HeaderSource): DeliveryValues {
  const values: DeliveryValues = { timestamp: [], signature: [], eventId: [] };
  // Untyped callers may pass undefined: treat it as a delivery without a signature.
  if (typeof headers !== 'object' || headers === null) return values;
  if (isIterable(headers)) for (const [name, value] of headers) add(values, name, value);
  else for (const name of Object.keys(headers)) add(values, name, headers[name]);
  return values;
}

function add(values: DeliveryValues, name: unknown, value: unknown): void {
  const found = valueNames.get(String(name).toLowerCase());
  if (found === undefined || value === undefined) return;
  if (Array.isArray(value)) values[found].push(...value);
  else values[found].push(value);
}

function isIterable(headers: HeaderSource): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

/** The body of a delivery exactly as received. A string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string;

/**
 * Returns the bytes of a raw body without copying them.
 *
 * @throws WebhookVerificationError with `body_not_bytes` for anything else, such as a parsed body.
 */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (ArrayBuffer.isView(rawBody)) {
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  }
  if (isArrayBuffer(rawBody)) return new Uint8Array(rawBody);
  throw new WebhookVerificationError(
    'body_not_bytes',
    `The body is ${rawBody === null ? 'null' : `of type ${typeof rawBody}`}, not bytes.`,
    adviceFor(rawBody),
  );
}

function adviceFor(rawBody: unknown): string {
  if (rawBody instanceof Promise) return 'Await it first: it is a Promise.';
  if (Object.prototype.toString.call(rawBody) === '[object Request]')
    return 'Pass `await request.arrayBuffer()` as the body and `request.headers`.';
  return 'Pass the raw body, before JSON.parse: in Express use express.raw({ type: "*/*" }) on this route, in NestJS the option rawBody, in a Next.js API route `bodyParser: false`; Google Cloud Functions have request.rawBody.';
}
