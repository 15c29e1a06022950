import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { codes } from '../../src/api/codes.js';
import { envelopeSchema } from '../../src/api/envelopes.js';
import type { Operation } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { DOCUMENTED_ONLY, inputType, isTunnelled, type Method } from './catalogue.js';
import { examples, fixed, type Json, type SchemaWriter } from './openapi-schema.js';
import { descriptionOf, isOptional, schemaFields } from './schema-type.js';
import { byText, capitalise } from './text.js';

/** An operation; where several methods make it, they differ by query parameters that one of them fixes. */
export function operationObject(methods: readonly Method[], schemas: SchemaWriter): Json {
  const [first, ...others] = methods;
  if (first === undefined) throw new Error('An operation needs a method');
  const { operation, resource } = first;
  const description = [
    accessText(operation),
    ...(operation.availability === 'documented' ? [DOCUMENTED_ONLY] : []),
    ...(operation.notes ?? []),
    ...others.map((other) => variantText(other.operation)),
  ].join(' ');
  return {
    operationId: operation.name,
    tags: [resource.name],
    summary: operation.summary,
    description,
    'x-id': operation.id,
    'x-status': operation.availability,
    'x-scope': operation.scope,
    ...(operation.actors !== undefined && { 'x-actors': [...operation.actors] }),
    'x-effect': operation.effect,
    ...tunnelNote(operation),
    parameters: [
      ...Object.entries(operation.params ?? {}).map(([name, schema]) =>
        parameter('path', name, schema, true, schemas),
      ),
      ...queryParameters(methods, schemas),
      ...(operation.effect === 'read' ? [] : [fixed.headers.idempotencyKey]),
    ],
    ...(operation.body !== undefined && {
      requestBody: requestBody(
        schemas.component(inputType(first, 'body'), operation.body, tunnelFields(operation)),
        examples[operation.name]?.request,
      ),
    }),
    responses: {
      ...successes(methods, schemas),
      ...errorResponses(methods, rejection(first, schemas)),
    },
  };
}

/** The scope that a call needs and, if documented, who may call. */
function accessText({ scope, actors }: Operation): string {
  return `Requires the scope \`${scope}\`.${actors === undefined ? '' : ` Callers: ${[...actors].join(', ')}.`}`;
}

/** A planned operation: only its method, path and group are documented. */
export function plannedObject(operation: PlannedOperation, tag: string): Json {
  const { id, path, group } = operation;
  const fields = tunnelFields(operation);
  const schema: Json = { type: 'object', properties: fields, required: Object.keys(fields) };
  return {
    operationId: id,
    tags: [tag],
    summary: `Planned (${group}): not callable yet.`,
    description: 'Its scope, its fields and its replies are undocumented.',
    'x-id': id,
    'x-status': 'planned',
    'x-group': group,
    ...tunnelNote(operation),
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      return { in: 'path', name, required: true, schema: { type: 'string' } };
    }),
    ...(isTunnelled(operation.method) && { requestBody: requestBody(schema) }),
    responses: {
      '2XX': { description: 'Undocumented.' },
      '4XX': { description: 'Refused: the operation is not callable yet.', content: jsonContent(anyError) },
      default: { description: 'Undocumented.' },
    },
  };
}

/** Native PATCH and PUT are blocked: the operation is listed under `post` and says by which method it is signed. */
function tunnelNote({ method }: Pick<Operation, 'method'>): Readonly<Record<string, Json>> {
  return isTunnelled(method) ? { 'x-effective-method': method } : {};
}

function tunnelFields({ method }: Pick<Operation, 'method'>): Readonly<Record<string, Json>> {
  const description = 'The effective method, by which the request is signed; it is sent as POST.';
  return isTunnelled(method) ? { _method: { type: 'string', const: method, description } } : {};
}

function requestBody(schema: Json, example?: Json): Json {
  return { required: true, content: jsonContent(schema, example) };
}

function jsonContent(schema: Json, example?: Json): Json {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

/** Query parameters of all methods; one that not every method has is optional. */
function queryParameters(methods: readonly Method[], schemas: SchemaWriter): Json[] {
  const parameters = new Map<string, Json>();
  for (const { operation } of methods) {
    for (const [name, schema] of operation.query === undefined ? [] : schemaFields(operation.query)) {
      const always = methods.every(({ operation: { query } }) => query !== undefined && name in query.shape);
      parameters.set(name, parameter('query', name, schema, always && !isOptional(schema), schemas));
    }
    for (const [name, value] of Object.entries(operation.fixedQuery ?? {})) {
      parameters.set(name, {
        in: 'query',
        name,
        required: methods.length === 1,
        description: `\`${value}\`: ${operation.summary}`,
        schema: { type: 'string', enum: [value] },
      });
    }
  }
  return [...parameters.values()];
}

function variantText({ fixedQuery, summary, notes = [] }: Operation): string {
  const query = new URLSearchParams(fixedQuery).toString();
  return [`With \`${query}\`: ${summary}`, ...notes].join(' ');
}

function parameter(
  place: 'path' | 'query',
  name: string,
  schema: z.ZodType,
  required: boolean,
  schemas: SchemaWriter,
): Json {
  const { description: _, ...written } = schemas.write(schema) as { readonly [key: string]: Json };
  const description = descriptionOf(schema);
  return { in: place, name, required, ...(description !== undefined && { description }), schema: written };
}

function successes(methods: readonly Method[], schemas: SchemaWriter): Readonly<Record<string, Json>> {
  const entries: Record<string, Json> = {};
  for (const status of new Set(methods.flatMap(({ operation }) => operation.success))) {
    const answering = methods.filter(({ operation }) => operation.success.includes(status));
    const isCommand = answering.some(({ operation }) => operation.effect === 'command');
    const isBid = answering.some(({ operation }) => operation.effect === 'bid');
    entries[String(status)] = {
      description: (isBid ? fixed.bidStatuses[status] : undefined) ?? 'Success.',
      ...(isCommand && { headers: { 'Idempotent-Replayed': fixed.headers.replayed } }),
      content: Object.assign({}, ...answering.map(({ operation }) => successContent(operation, schemas))),
    };
  }
  return entries;
}

/** The reply that holds the record of a rejection. */
function rejection({ resource, name, operation }: Method, schemas: SchemaWriter): Json | undefined {
  if (operation.rejection === undefined) return undefined;
  return schemas.add(`${capitalise(resource.name)}${capitalise(name)}Rejection`, {
    description:
      'A recorded rejection: `errors` holds every reason, `data` the record. The same request under the same key is answered with it again.',
    allOf: [
      { $ref: '#/components/schemas/ApplicationError' },
      { type: 'object', required: ['data'], properties: { data: schemas.write(operation.rejection) } },
    ],
  });
}

/** A bid that succeeds is accepted; the model of its receipt is open to any status (API text, Bids). */
const accepted = z.object({ status: z.literal('accepted').describe('Accepted, provisionally.') });

function successContent({ id, name, envelope, reply }: Operation, schemas: SchemaWriter): Json {
  if (envelope === 'binary') return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (reply === undefined) throw new Error(`${id} needs the schema of its JSON reply`);
  // How a raw reply wraps its payload is not shown: its schema is that of the whole.
  const payload = envelope === 'bid' ? z.intersection(reply, accepted) : reply;
  const whole = envelope === 'raw' || envelope === 'whole' ? reply : envelopeSchema(envelope, payload);
  return jsonContent(schemas.write(whole), examples[name]?.reply);
}

const everywhere = codesByStatus(
  Object.entries(codes).flatMap(([code, facts]) =>
    'everywhere' in facts ? facts.statuses.map((status) => [status, code] as const) : [],
  ),
);

const anyError: Json = { $ref: '#/components/schemas/AnyError' };

/** Replies of failure that any call can meet, for `components`. */
export const sharedResponses: Readonly<Record<string, Json>> = Object.fromEntries(
  [...everywhere].map(([status, names]) => [responseName(status), errorResponse(status, names)]),
);

const REJECTED = 422;

/** Replies of failure by status: those of any call, and where an operation has some of its own, all in one. */
function errorResponses(
  methods: readonly Method[],
  rejection: Json | undefined,
): Readonly<Record<string, Json>> {
  const refusals = methods.flatMap(({ operation }) => operation.refusals);
  const notes = methods.flatMap(({ operation }) => operation.notes ?? []);
  const own = codesByStatus(
    refusals.flatMap((code) => codes[code].statuses.map((status) => [status, code] as const)),
  );
  const statuses = [...new Set([...everywhere.keys(), ...own.keys()])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const names = new Set([...(everywhere.get(status) ?? []), ...(own.get(status) ?? [])]);
      // A note that names a status stands with that reply, too.
      const said = notes.filter((note) => new RegExp(`\\b${status}\\b`).test(note));
      const recorded = status === REJECTED ? rejection : undefined;
      const response = errorResponse(status, [...names], said, recorded);
      const isShared = isDeepStrictEqual(response, sharedResponses[responseName(status)]);
      return [status, isShared ? { $ref: `#/components/responses/${responseName(status)}` } : response];
    }),
  );
}

function responseName(status: number): string {
  return `Status${status}`;
}

function errorResponse(
  status: number,
  names: readonly string[],
  said: readonly string[] = [],
  recorded?: Json,
): Json {
  const codesText = names.length === 0 ? '' : `${[...names].sort(byText).join(', ')}.`;
  return {
    description: [codesText, fixed.statuses[status], ...said].filter((text) => text).join(' '),
    ...(status === 429 && { headers: { 'Retry-After': fixed.headers.retryAfter } }),
    content: jsonContent(recorded === undefined ? anyError : { anyOf: [recorded, anyError] }),
  };
}

function codesByStatus(pairs: readonly (readonly [status: number, code: string])[]): Map<number, string[]> {
  const statuses = [...pairs.map(([status]) => status), ...Object.keys(fixed.statuses).map(Number)];
  return new Map(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((status) => [status, pairs.filter(([at]) => at === status).map(([, code]) => code)]),
  );
}
