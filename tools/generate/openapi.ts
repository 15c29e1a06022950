import { API_PREFIX } from '../../src/api/common.js';
import type { Catalogue } from './catalogue.js';
import { byText } from './names.js';
import { about, fixed, type Json } from './openapi-fixed.js';
import { operationObject, plannedObject } from './openapi-operation.js';
import { sharedResponses } from './openapi-replies.js';
import { schemaWriter } from './openapi-schema.js';
import { slotsOf } from './openapi-slots.js';
import { webhookObjects } from './openapi-webhooks.js';

const PLANNED_TAG = 'planned';

/** `openapi.json` (3.1): the whole service for other languages, planned operations included. */
export function renderOpenApi(catalogue: Catalogue, version: string): string {
  const schemas = schemaWriter(catalogue);
  const paths: Record<string, Record<string, Json>> = {};
  for (const slot of slotsOf(catalogue)) {
    const path = `${API_PREFIX}${slot.path}`;
    const object =
      'planned' in slot ? plannedObject(slot.planned, PLANNED_TAG) : operationObject(slot.methods, schemas);
    paths[path] = { ...paths[path], [slot.verb]: object };
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
