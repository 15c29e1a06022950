import { z } from 'zod';
import { codes } from '../../src/api/codes.js';
import { API_PREFIX } from '../../src/api/common.js';
import { envelopeSchema } from '../../src/api/envelopes.js';
import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { allMethods, type Method, models } from './catalogue.js';
import { errorSchemas, type Json, securitySchemes } from './openapi-fixed.js';
import { descriptionOf, fieldsOf, isOptional } from './schema-type.js';

/** `openapi.json` (3.1): the whole service for other languages. */
export function renderOpenApi(version: string): string {
  for (const { name, schema } of models) z.globalRegistry.add(schema, { ...schema.meta(), id: name });
  const components: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const method of allMethods) {
    const { operation } = method;
    const path = `${API_PREFIX}${operation.path}`;
    const entry = paths[path] ?? {};
    entry[operation.method.toLowerCase()] = operationObject(method, components);
    paths[path] = entry;
  }
  for (const { schema } of models) jsonSchema(schema, components);
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title: 'Vehicle Auction Bidding and Post-Auction Workflow API',
      version: 'v1',
      summary: `As described by vehicle-auction-sdk ${version}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'https://bank.example',
        description: "A bank's deployment; the host differs by bank and environment.",
      },
    ],
    tags: resources.map(({ name, summary }) => ({ name, description: summary })),
    security: [{ clientId: [], keyId: [], timestamp: [], nonce: [], contentSha256: [], signature: [] }],
    paths: sorted(paths),
    components: {
      securitySchemes: securitySchemes(),
      schemas: sorted({ ...components, ...errorSchemas() }),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function operationObject(method: Method, components: Record<string, Json>): Json {
  const { operation } = method;
  const body = operation.body;
  return {
    operationId: `${method.resource.name}.${method.name}`,
    tags: [method.resource.name],
    summary: operation.summary,
    ...(operation.notes !== undefined && { description: operation.notes.join(' ') }),
    'x-id': operation.id,
    'x-status': operation.availability,
    'x-scope': operation.scope,
    'x-actors': [...(operation.actors ?? ['bank', 'partner'])],
    'x-effect': operation.effect,
    parameters: [
      ...Object.entries(operation.params ?? {}).map(([name, schema]) =>
        parameter('path', name, schema, true, components),
      ),
      ...(operation.query === undefined
        ? []
        : fieldsOf(operation.query).map(([name, schema]) =>
            parameter('query', name, schema, !isOptional(schema), components),
          )),
      ...(operation.effect === 'read' ? [] : [idempotencyHeader]),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(body, components) } },
      },
    }),
    responses: responses(operation, components),
  };
}

const idempotencyHeader: Json = {
  in: 'header',
  name: 'Idempotency-Key',
  required: true,
  description: 'Equal to `idempotency_key` in the body.',
  schema: { type: 'string', format: 'uuid' },
};

const replayedHeader: Json = {
  description: '`true` where the command had been recorded before and this is its record.',
  schema: { type: 'string', const: 'true' },
};

const retryAfterHeader: Json = {
  description: 'How long to wait: seconds, or an HTTP date.',
  schema: { type: 'string' },
};

function parameter(
  place: 'path' | 'query',
  name: string,
  schema: z.ZodType,
  required: boolean,
  components: Record<string, Json>,
): Json {
  const description = descriptionOf(schema);
  return {
    in: place,
    name,
    required,
    ...(description !== undefined && { description }),
    schema: jsonSchema(schema, components),
  };
}

function responses(operation: Operation, components: Record<string, Json>): Json {
  const entries: Record<string, Json> = {};
  for (const status of operation.success) {
    entries[String(status)] = {
      description: status === 201 ? 'Accepted for the first time.' : 'Success.',
      ...(operation.effect === 'command' && { headers: { 'Idempotent-Replayed': replayedHeader } }),
      content: successContent(operation, components),
    };
  }
  const own = operation.refusals.map((code) => [code, codes[code]] as const);
  const everywhere = Object.entries(codes).filter(([, facts]) => 'everywhere' in facts);
  const byStatus = new Map<number, string[]>();
  for (const [code, facts] of [...everywhere, ...own]) {
    for (const status of facts.statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  byStatus.set(422, byStatus.get(422) ?? []);
  byStatus.set(429, []);
  byStatus.set(500, []);
  for (const [status, names] of [...byStatus].sort(([a], [b]) => a - b)) {
    entries[String(status)] = {
      description:
        names.length === 0
          ? (plainStatuses[status] ?? 'Error.')
          : `${[...new Set(names)].sort().join(', ')}.`,
      ...(status === 429 && { headers: { 'Retry-After': retryAfterHeader } }),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/AnyError' } } },
    };
  }
  return entries;
}

const plainStatuses: Readonly<Record<number, string>> = {
  422: 'A missing or invalid field.',
  429: 'Too many requests; `Retry-After` says for how long.',
  500: 'The service failed; the effect of a mutating call is unknown.',
};

function successContent({ envelope, reply }: Operation, components: Record<string, Json>): Json {
  if (envelope === 'binary') return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (reply === undefined) throw new Error('A JSON reply needs a schema');
  return { 'application/json': { schema: jsonSchema(envelopeSchema(envelope, reply), components) } };
}

/** A schema as JSON Schema 2020-12, with named ones moved to `components`. */
function jsonSchema(schema: z.ZodType, components: Record<string, Json>): Json {
  const {
    $schema: _,
    $defs,
    ...root
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: json }) => {
      // zod bounds integers by what a double holds; the service has no such bound.
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
      for (const key of [
        'filled',
        'hint',
        'labels',
        'money',
        'numericMoney',
        'partnerBid',
        'platformOnly',
        'section',
        'id',
      ])
        delete json[key];
    },
  });
  for (const [name, definition] of Object.entries($defs ?? {})) components[name] = relocated(definition);
  const id = schema.meta()?.id;
  if (id === undefined) return relocated(root);
  if ($defs === undefined || !(id in $defs)) components[id] = relocated(root);
  return { $ref: `#/components/schemas/${id}` };
}

function relocated(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function sorted(record: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
