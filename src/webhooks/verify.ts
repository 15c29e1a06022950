import { tolerated } from '../api/tolerance.js';
import { WebhookVerificationError } from '../errors/webhook.js';
import { bytesOf, type HeaderSource, type RawBody } from './delivery.js';
import type { EventEnvelope, WebhookEvent } from './event.js';
import { verifySignature, type WebhookVerificationOptions } from './signature.js';

/**
 * Verifies a delivery with `verifySignature`, then parses it into a typed event. Payloads that the API text documents are
 * checked; others are passed through (Events, Event types). The event is the parsed body with every field that the
 * service sent.
 *
 * @throws WebhookVerificationError for a delivery that is not authentic, or that is signed but malformed: errors with
 *   reason `envelope_invalid` or `payload_invalid` carry the parsed body.
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

/** Parses a verified body. `eventId` is the header, which the signature does not cover. */
export function parseEvent(bytes: Uint8Array, eventId?: string): WebhookEvent {
  const event = withObjectData(parseBody(bytes));
  assertShape<AnyEvent>(event, envelopeFields, 'envelope_invalid', event);
  if (eventId !== undefined && eventId !== event.id) {
    throw new WebhookVerificationError(
      'event_id_mismatch',
      'The Service-Event-ID header differs from the id in the signed body.',
      'Refuse the delivery: the header was changed on the way.',
    );
  }
  const fields = payloadFields.get(event.type) ?? [];
  assertShape<AnyEvent & WebhookEvent>(event, fields, 'payload_invalid', event);
  readTolerated(event, optionalFields.get(event.type) ?? []);
  return event;
}

type AnyEvent = EventEnvelope<string, Readonly<Record<string, unknown>>>;

type FieldKind = keyof typeof kinds;

/** Each kind of field: its description and its test. */
const kinds = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  id: ['a text that is not empty', (value: unknown) => typeof value === 'string' && value !== ''],
  version: ['a whole number', (value: unknown) => Number.isSafeInteger(value)],
  money: [
    'a decimal string',
    (value: unknown) => typeof value === 'string' && /^-?\d+(?:\.\d{1,2})?$/.test(value),
  ],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  object: [
    'an object',
    (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ],
} as const;

/** The documented kind of each tolerated form. */
const kindOf = {
  text: 'string',
  id: 'string',
  version: 'int',
  money: 'money',
  flag: 'boolean',
  object: 'object',
} as const;

const envelopeFields: readonly (readonly [path: readonly string[], kind: FieldKind])[] = [
  [['id'], 'id'],
  [['type'], 'id'],
  [['schema_version'], 'version'],
  [['data'], 'object'],
];

/**
 * Identity, state, version and money, without which an event can't be used. Other fields are not checked, so that no signed
 * event is lost. Written by hand, because a schema library would be 90% of this entry's import time; a test compares this
 * list with the API description.
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

/** Fields without which an event can be used: read in tolerated forms, otherwise passed on as they came. */
const optionalFields: ReadonlyMap<string, typeof envelopeFields> = new Map([
  [
    'sale.approved',
    [
      [['data', 'resource_id'], 'text'],
      [['data', 'lot_id'], 'text'],
      [['data', 'sale', 'bid_id'], 'text'],
      [['data', 'sale', 'winner'], 'flag'],
      [['data', 'sale', 'bank_decision_final'], 'flag'],
      [['data', 'sale', 'bank_confirmation_required'], 'flag'],
      [['data', 'sale', 'buyer_acknowledgment_required'], 'flag'],
    ],
  ],
  [
    'vehicle.status_changed',
    [
      [['data', 'sale_id'], 'text'],
      [['data', 'lot_id'], 'text'],
      [['data', 'vehicle_id'], 'text'],
      [['data', 'resource_version'], 'version'],
      [['data', 'inventory_version'], 'version'],
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
 * Restores `data` to an object if PHP wrote an empty object as `[]`, or if an endpoint verification has no `data`: only its
 * challenge is documented (unknowns: `webhook-verification-shape`).
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
      const found = valueAt(value, path);
      if (holds(found)) continue;
      const read = tolerated(kindOf[kind], found)?.value;
      if (holds(read)) setAt(value, path, read);
      else problems.push(`${path.join('.')}: must be ${expected}`);
    }
  }
  if (problems.length === 0) return;
  throw new WebhookVerificationError(
    reason,
    `The delivery is correctly signed, but its ${reason === 'envelope_invalid' ? 'envelope' : 'payload'} is malformed (${problems.join('; ')}).`,
    'Store the parsed `body` of this error, and report it to the bank.',
    body,
  );
}

/** Reads own properties only: `__proto__` in a body is an ordinary key. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function readTolerated(event: unknown, fields: typeof envelopeFields): void {
  for (const [path, kind] of fields) {
    const found = valueAt(event, path);
    const holds = kinds[kind][1];
    const read = holds(found) ? undefined : tolerated(kindOf[kind], found)?.value;
    if (holds(read)) setAt(event, path, read);
  }
}

/** Replaces an own property that `valueAt` has found. */
function setAt(value: unknown, path: readonly string[], read: unknown): void {
  const holder = valueAt(value, path.slice(0, -1));
  const name = path.at(-1);
  if (typeof holder === 'object' && holder !== null && name !== undefined) Reflect.set(holder, name, read);
}
