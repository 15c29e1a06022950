import { WebhookVerificationError } from '../errors/webhook.js';
import { bytesOf, type HeaderSource, type RawBody } from './delivery.js';
import type { EventEnvelope, WebhookEvent } from './event.js';
import { verifySignature, type WebhookVerificationOptions } from './signature.js';

/**
 * Verifies a delivery as `verifySignature` does, then parses it into a typed event. Types whose payload the API text
 * shows are checked; others pass as they came (Events, Event types). What comes back is the parsed body itself, with
 * every field that the service sent.
 *
 * @throws WebhookVerificationError for a delivery that must not be trusted, or that is signed but misshapen:
 *   `envelope_invalid` and `payload_invalid` carry the parsed body, so that nothing is lost.
 * @throws ConfigurationError for options that can't work.
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: HeaderSource,
  options: WebhookVerificationOptions,
): WebhookEvent {
  const { eventId } = verifySignature(rawBody, headers, options);
  return parseEvent(bytesOf(rawBody), eventId);
}

/** The event of a body whose signature was verified. `eventId` is the header, which the signature does not cover. */
export function parseEvent(bytes: Uint8Array, eventId?: string): WebhookEvent {
  const event = withObjectData(parseBody(bytes));
  assertShape<AnyEvent>(event, envelopeFields, 'envelope_invalid', event);
  if (eventId !== undefined && eventId !== event.id) {
    throw new WebhookVerificationError(
      'event_id_mismatch',
      'The Service-Event-ID header is not the id in the signed body.',
      'Refuse the delivery: someone between the service and you changed the header.',
    );
  }
  const fields = payloadFields.get(event.type) ?? [];
  assertShape<AnyEvent & WebhookEvent>(event, fields, 'payload_invalid', event);
  return event;
}

type AnyEvent = EventEnvelope<string, Readonly<Record<string, unknown>>>;

type FieldKind = keyof typeof kinds;

/** What a field has to be, and the test for it. */
const kinds = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  id: ['a text that is not empty', (value: unknown) => typeof value === 'string' && value !== ''],
  version: ['a whole number', (value: unknown) => Number.isSafeInteger(value)],
  money: [
    'a decimal string',
    (value: unknown) => typeof value === 'string' && /^-?\d+(?:\.\d{1,2})?$/.test(value),
  ],
  object: [
    'an object',
    (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ],
} as const;

const envelopeFields: readonly (readonly [path: readonly string[], kind: FieldKind])[] = [
  [['id'], 'id'],
  [['type'], 'id'],
  [['schema_version'], 'version'],
  [['data'], 'object'],
];

/**
 * Identity, state, version and money, without which an event can't be used; odd values elsewhere pass, so that no signed
 * event is lost over them. By hand, because a schema library would be nine tenths of what this entry costs to import; a
 * test compares it with the API description.
 */
const payloadFields: ReadonlyMap<string, typeof envelopeFields> = new Map([
  [
    'sale.approved',
    [
      [['data', 'resource_version'], 'version'],
      [['data', 'sale'], 'object'],
      [['data', 'sale', 'id'], 'text'],
      [['data', 'sale', 'state'], 'text'],
      [['data', 'sale', 'amount'], 'money'],
    ],
  ],
  [
    'auction.schedule_changed',
    [
      [['data', 'auction_id'], 'text'],
      [['data', 'resource_version'], 'version'],
      [['data', 'effective_close_at'], 'text'],
    ],
  ],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws WebhookVerificationError with `body_not_json`; a byte order mark is skipped */
function parseBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new WebhookVerificationError(
      'body_not_json',
      'The delivery is correctly signed, but its body is not JSON in UTF-8.',
      'Use verifySignature for bodies that are not JSON; otherwise report the delivery to the bank.',
    );
  }
}

/**
 * Makes `data` an object again where PHP wrote an empty object as `[]`, and where a verification, of
 * which only the challenge is certain, has none (unknowns: `webhook-verification-shape`).
 */
function withObjectData(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { data, type }: { data?: unknown; type?: unknown } = body;
  const isEmptyArray = Array.isArray(data) && data.length === 0;
  const mayLackData = type === 'webhook.endpoint_verification' && (data === undefined || data === null);
  return isEmptyArray || mayLackData ? Object.assign(body, { data: {} }) : body;
}

function assertShape<T>(
  value: unknown,
  fields: typeof envelopeFields,
  reason: 'envelope_invalid' | 'payload_invalid',
  body: unknown,
): asserts value is T {
  const problems: string[] = [];
  if (!kinds.object[1](value)) problems.push('the body: must be an object');
  else {
    for (const [path, kind] of fields) {
      const [expected, holds] = kinds[kind];
      if (!holds(valueAt(value, path))) problems.push(`${path.join('.')}: must be ${expected}`);
    }
  }
  if (problems.length === 0) return;
  throw new WebhookVerificationError(
    reason,
    `The delivery is correctly signed, but its ${reason === 'envelope_invalid' ? 'envelope' : 'payload'} is not as described (${problems.join('; ')}).`,
    'Keep the parsed `body` of this error, and report it to the bank.',
    body,
  );
}

/** Own properties only: `__proto__` in a body is a key like any other. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
