import { API_PREFIX } from '../../src/api/common.js';
import type { Catalogue } from './catalogue.js';
import { byText } from './names.js';
import { errorSchemas, type Json, security, securitySchemes } from './openapi-fixed.js';
import { operationObject, plannedObject } from './openapi-operation.js';
import { sharedResponses } from './openapi-replies.js';
import { schemaWriter } from './openapi-schema.js';
import { slotsOf } from './openapi-slots.js';

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
  for (const { schema } of catalogue.models) schemas.write(schema);
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: 'Vehicle Auction Bidding and Post-Auction Workflow API',
      version: 'v1',
      summary: `As described by vehicle-auction-sdk ${version}.`,
      description: ABOUT,
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
    ],
    security,
    paths: sorted(paths),
    components: {
      securitySchemes: securitySchemes(),
      responses: sharedResponses,
      schemas: sorted({ ...schemas.components, ...errorSchemas() }),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const ABOUT = [
  'Every request is signed over the exact bytes of its body, so serialise a body once and send those bytes; every attempt takes a fresh nonce, timestamp and signature.',
  'Bids and commands carry one UUID as `idempotency_key` in the body and in the `Idempotency-Key` header; a retry resends the same bytes under it.',
  'Native PATCH and PUT are blocked: such an operation stands here under `post`, names its method in `x-effective-method` and in `_method` of its body, and is signed with that method.',
  'Money is a decimal string in INR, except where a field says paise. Replies are open: expect fields and values that are not listed, and an empty array where an object has nothing in it.',
  '`x-status` is `callable`, `documented` (described, yet listed as not callable) or `planned` (not callable); `x-scope` and `x-actors` say who may call.',
].join('\n\n');

function sorted(record: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => byText(a, b)));
}
