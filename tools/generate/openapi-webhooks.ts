import { z } from 'zod';
import { webhookEnvelope } from '../../src/api/webhook-events.js';
import type { EventType } from './catalogue.js';
import { camel, capitalise } from './names.js';
import { fixed, type Json } from './openapi-fixed.js';
import type { SchemaWriter } from './openapi-schema.js';
import { textOf } from './schema-type.js';

/** What the service posts to an endpoint, by type of event. */
export function webhookObjects(types: readonly EventType[], schemas: SchemaWriter): Record<string, Json> {
  return Object.fromEntries(types.map((event) => [event.type, { post: deliveryObject(event, schemas) }]));
}

function deliveryObject(event: EventType, schemas: SchemaWriter): Json {
  const name = nameOf(event);
  const { payload } = event;
  return {
    operationId: `webhooks.${name}`,
    tags: [fixed.webhookTag.name],
    summary: (payload && textOf(payload, 'title')) ?? `\`${event.type}\`; its payload is not shown.`,
    // Signed by the service, not by the headers of a request.
    security: [],
    parameters: Object.keys(fixed.deliveryParameters).map((parameter) => ({
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
