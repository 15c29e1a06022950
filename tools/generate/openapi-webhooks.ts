import { z } from 'zod';
import { webhookEnvelope } from '../../src/api/webhook-events.js';
import type { EventType } from './catalogue.js';
import { camel, capitalise } from './names.js';
import type { Json } from './openapi-fixed.js';
import type { SchemaWriter } from './openapi-schema.js';
import { textOf } from './schema-type.js';

/** The tag of deliveries, and what holds for all of them (Events, Delivery model). */
export const webhookTag = {
  name: 'webhooks',
  description:
    'Deliveries to the endpoint of a subscriber, each of them at least once: deduplicate by the `id` of the body. One that fails for a passing reason is tried up to eight times; which failures count as passing, the time between the tries, and whether deliveries are switched on at all are not shown. After downtime or a gap, `/winner-updates` has the sale decisions that were committed. Drop a payload whose `resource_version` is lower than the one you hold.',
};

/** The headers of every delivery (Authentication, Webhook delivery signature). */
export const deliveryParameters: Readonly<Record<string, Json>> = {
  ServiceTimestamp: {
    in: 'header',
    name: 'Service-Timestamp',
    required: true,
    description:
      'When the delivery was signed; the format is not shown. Refuse what is older than you care to accept.',
    schema: { type: 'string' },
  },
  ServiceSignature: {
    in: 'header',
    name: 'Service-Signature',
    required: true,
    description:
      '`v1=` and the lower-case hex HMAC-SHA256, keyed with the secret of the subscription, of three things in a row: the value of `Service-Timestamp`, a full stop, the bytes of the body. Compare it in constant time, over the bytes as received, before they are parsed.',
    schema: { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
  },
  ServiceEventId: {
    in: 'header',
    name: 'Service-Event-ID',
    required: false,
    description:
      'The `id` of the body once more. The signature does not cover it: trust the one in the body.',
    schema: { type: 'string' },
  },
};

/** What the service posts to an endpoint, by type of event. */
export function webhookObjects(types: readonly EventType[], schemas: SchemaWriter): Record<string, Json> {
  return Object.fromEntries(types.map((event) => [event.type, { post: deliveryObject(event, schemas) }]));
}

function deliveryObject(event: EventType, schemas: SchemaWriter): Json {
  const name = nameOf(event);
  const { payload } = event;
  return {
    operationId: `webhooks.${name}`,
    tags: [webhookTag.name],
    summary: (payload && textOf(payload, 'title')) ?? `\`${event.type}\`; its payload is not shown.`,
    // Signed by the service, not by the headers of a request.
    security: [],
    parameters: Object.keys(deliveryParameters).map((parameter) => ({
      $ref: `#/components/parameters/${parameter}`,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: bodySchema(event, schemas) } },
    },
    responses: {
      '2XX': {
        description: 'Received; answer at once, and handle the event afterwards.',
        ...(asksForChallenge(event) && { content: { 'application/json': { schema: challengeAnswer } } }),
      },
    },
  };
}

/** The envelope around the payload, for one type. */
function bodySchema(event: EventType, schemas: SchemaWriter): Json {
  const { type: anyType, data: anyData } = webhookEnvelope.shape;
  const type = z.literal(event.type).describe(anyType.description ?? '');
  const name = `${capitalise(nameOf(event))}Event`;
  if (asksForChallenge(event)) {
    // Where the challenge stands is not shown, nor whether there is a payload (unknowns: `webhook-verification-shape`).
    const data = event.payload?.optional() ?? anyData;
    return schemas.component(name, webhookEnvelope.extend({ type, data }));
  }
  const data = event.payload?.describe('Payload.') ?? anyData.describe('Payload; its fields are not shown.');
  return schemas.component(name, webhookEnvelope.omit({ challenge: true }).extend({ type, data }));
}

/** The subscriber proves that the endpoint is its own by repeating the challenge. */
function asksForChallenge({ payload }: EventType): boolean {
  return payload !== undefined && 'challenge' in payload.shape;
}

const challengeAnswer: Json = {
  type: 'object',
  required: ['challenge'],
  properties: { challenge: { type: 'string', description: 'The challenge, as it was received.' } },
};

/** `sale.payment_status_changed` → `salePaymentStatusChanged`. */
function nameOf({ type }: EventType): string {
  return camel(type.replaceAll('.', '_'));
}
