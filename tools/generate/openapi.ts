import { z } from 'zod';
import { API_PREFIX } from '../../src/api/common.js';
import type { Operation } from '../../src/api/operation.js';
import { webhookEnvelope } from '../../src/api/webhook-events.js';
import type { Catalogue, EventType, Method } from './catalogue.js';
import { operationObject, plannedObject, sharedResponses } from './openapi-operation.js';
import { about, fixed, type Json, type SchemaWriter, schemaWriter } from './openapi-schema.js';
import { textOf } from './schema-type.js';
import { byText, camel, capitalise } from './text.js';

const PLANNED_TAG = 'planned';

/** `openapi.json` (3.1): the whole service for other languages, planned operations included. */
export function renderOpenApi(catalogue: Catalogue, version: string): string {
  const schemas = schemaWriter(catalogue);
  const paths: Record<string, Record<string, Json>> = {};
  for (const [place, object] of placesOf(catalogue, schemas)) {
    const [verb = '', path = ''] = place.split(' ');
    paths[path] = { ...paths[path], [verb]: object };
  }
  const webhooks: Record<string, Json> = {};
  for (const event of catalogue.eventTypes) webhooks[event.type] = { post: deliveryObject(event, schemas) };
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: 'Vehicle Auction Bidding and Post-Auction Workflow API',
      version: 'v1',
      summary: `As described by vehicle-auction-sdk ${version}.`,
      description: about,
      contact: { name: 'The bank that issued the credentials' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: fixed.servers,
    tags: [
      ...catalogue.resources.map(({ name, summary }) => ({ name, description: summary })),
      { name: PLANNED_TAG, description: 'Listed as planned: not callable, and not described further.' },
      fixed.webhookTag,
    ],
    security: fixed.security,
    paths: sorted(paths),
    webhooks: sorted(webhooks),
    components: {
      securitySchemes: fixed.securitySchemes,
      responses: sharedResponses,
      parameters: fixed.deliveryParameters,
      schemas: sorted({ ...schemas.components, ...fixed.errorSchemas }),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function sorted(record: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => byText(a, b)));
}

/**
 * What stands at each verb and path: methods of one operation that differ by their query, or a planned operation.
 *
 * @throws Error if two operations would share a place: the document holds one only
 */
function placesOf({ methods, planned }: Catalogue, schemas: SchemaWriter): Map<string, Json> {
  const sharing = new Map<string, Method[]>();
  for (const method of methods) {
    const place = pathItem(method.operation);
    sharing.set(place, [...(sharing.get(place) ?? []), method]);
  }
  const places = new Map([...sharing].map(([place, own]) => [place, operationObject(own, schemas)]));
  for (const operation of planned) places.set(pathItem(operation), plannedObject(operation, PLANNED_TAG));
  const isOne = ([first, ...others]: readonly Method[]) =>
    others.every(({ operation: { id, body } }) => id === first?.operation.id && body === undefined);
  const shared = [...sharing].find(([, own]) => !isOne(own))?.[0];
  if (shared !== undefined || places.size < sharing.size + planned.length)
    throw new Error(`Two operations share ${shared ?? 'a place'}, where OpenAPI holds one`);
  return places;
}

function pathItem({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method === 'GET' ? 'get' : 'post'} ${API_PREFIX}${path}`;
}

/** What the service posts to an endpoint for one type of event. */
function deliveryObject(event: EventType, schemas: SchemaWriter): Json {
  const name = webhookName(event);
  const { payload } = event;
  return {
    operationId: `webhooks.${name}`,
    tags: [fixed.webhookTag.name],
    summary: (payload && textOf(payload, 'title')) ?? `\`${event.type}\`; its payload is undocumented.`,
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
        ...(asksForChallenge(event) && {
          content: { 'application/json': { schema: fixed.challengeAnswer } },
        }),
      },
    },
  };
}

/** The envelope around the payload, for one type. */
function bodySchema(event: EventType, schemas: SchemaWriter): Json {
  const { type: anyType, data: anyData } = webhookEnvelope.shape;
  const type = z.literal(event.type).describe(anyType.description ?? '');
  const name = `${capitalise(webhookName(event))}Event`;
  if (asksForChallenge(event)) {
    // It is undocumented where the challenge is, and whether there is a payload (unknowns: `webhook-verification-shape`).
    const data = event.payload?.optional() ?? anyData;
    return schemas.component(name, webhookEnvelope.extend({ type, data }));
  }
  const data =
    event.payload?.describe('Payload.') ?? anyData.describe('Payload; its fields are undocumented.');
  return schemas.component(name, webhookEnvelope.omit({ challenge: true }).extend({ type, data }));
}

/** The subscriber proves that the endpoint is its own by repeating the challenge. */
function asksForChallenge({ payload }: EventType): boolean {
  return payload !== undefined && 'challenge' in payload.shape;
}

/** `sale.payment_status_changed` → `salePaymentStatusChanged`. */
function webhookName({ type }: EventType): string {
  return camel(type.replaceAll('.', '_'));
}
