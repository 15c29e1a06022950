import { z } from 'zod';
import { API_PREFIX } from '../../src/api/common.js';
import type { Operation } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { webhookEnvelope } from '../../src/api/webhook-events.js';
import type { Catalogue, EventType, Method } from './catalogue.js';
import { byText, camel, capitalise } from './names.js';
import { about, fixed, type Json } from './openapi-fixed.js';
import { operationObject, plannedObject, sharedResponses } from './openapi-operation.js';
import { type SchemaWriter, schemaWriter } from './openapi-schema.js';
import { textOf } from './schema-type.js';

const PLANNED_TAG = 'planned';

/** `openapi.json` (3.1): the whole service for other languages, planned operations included. */
export function renderOpenApi(catalogue: Catalogue, version: string): string {
  const schemas = schemaWriter(catalogue);
  const paths: Record<string, Record<string, Json>> = {};
  for (const slot of slotsOf(catalogue)) {
    const path = `${API_PREFIX}${slot.path}`;
    const { planned } = slot;
    const object = planned ? plannedObject(planned, PLANNED_TAG) : operationObject(slot.methods, schemas);
    paths[path] = { ...paths[path], [verbOf(slot.method)]: object };
  }
  const webhooks = webhookObjects(catalogue.eventTypes, schemas);
  const hasWebhooks = Object.keys(webhooks).length > 0;
  for (const { schema } of catalogue.models) schemas.write(schema);
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: 'Vehicle Auction Bidding and Post-Auction Workflow API',
      version: 'v1',
      summary: `As described by vehicle-auction-sdk ${version}.`,
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'https://bank.example',
        description: "A bank's deployment; the host differs by bank and environment.",
      },
    ],
    tags: [
      ...catalogue.resources.map(({ name, summary }) => ({ name, description: summary })),
      ...(catalogue.planned.length === 0
        ? []
        : [
            { name: PLANNED_TAG, description: 'Listed as planned: not callable, and not described further.' },
          ]),
      ...(hasWebhooks ? [fixed.webhookTag] : []),
    ],
    security: fixed.security,
    paths: sorted(paths),
    ...(hasWebhooks && { webhooks: sorted(webhooks) }),
    components: {
      securitySchemes: fixed.securitySchemes,
      responses: sharedResponses,
      ...(hasWebhooks && { parameters: fixed.deliveryParameters }),
      schemas: sorted({ ...schemas.components, ...fixed.errorSchemas }),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function sorted(record: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => byText(a, b)));
}

/** What is reached by one path and one HTTP method: methods of one operation that differ by their query, or a planned one. */
type Slot = Pick<Operation, 'method' | 'path'> & {
  readonly methods: readonly Method[];
  readonly planned?: PlannedOperation;
};

/** @throws Error where two operations would share a place: the document could hold but one of them */
function slotsOf({ methods, planned }: Catalogue): Slot[] {
  const slots = new Map<string, Slot>();
  const given = [
    ...methods.map((method) => ({ ...method.operation, methods: [method] })),
    ...planned.map((operation) => ({
      ...operation,
      name: operation.id,
      body: undefined,
      methods: [],
      planned: operation,
    })),
  ];
  for (const { id, name, method, path, body, ...slot } of given) {
    // Paths that differ by the names of their parameters alone are one path.
    const key = `${verbOf(method)} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
    const taken = slots.get(key);
    const first = taken?.methods[0]?.operation;
    const isShared = first?.id === id && first.path === path && first.method === method && body === undefined;
    if (taken !== undefined && (slot.methods.length === 0 || !isShared)) {
      const others = taken.planned?.id ?? taken.methods.map(({ operation }) => operation.name).join(', ');
      throw new Error(
        `${name} and ${others} share ${verbOf(method)} ${taken.path}, where OpenAPI holds one operation`,
      );
    }
    slots.set(key, { ...slot, method, path, methods: [...(taken?.methods ?? []), ...slot.methods] });
  }
  return [...slots.values()];
}

function verbOf(method: Operation['method']): 'get' | 'post' {
  return method === 'GET' ? 'get' : 'post';
}

/** What the service posts to an endpoint, by type of event. */
function webhookObjects(types: readonly EventType[], schemas: SchemaWriter): Record<string, Json> {
  return Object.fromEntries(types.map((event) => [event.type, { post: deliveryObject(event, schemas) }]));
}

function deliveryObject(event: EventType, schemas: SchemaWriter): Json {
  const name = nameOf(event);
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
  const name = `${capitalise(nameOf(event))}Event`;
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
function nameOf({ type }: EventType): string {
  return camel(type.replaceAll('.', '_'));
}
