import { z } from 'zod';
import { envelopeSchema } from '../../src/api/envelopes.js';
import { type Format, formats } from '../../src/api/formats.js';
import type { Operation, Resource } from '../../src/api/operation.js';
import { type Catalogue, type Method, type Model, type Models, methodsOf } from './catalogue.js';
import { metaOf, schemaFields } from './schema-type.js';

/**
 * What a call needs to know of the operations of a resource, as plain data: with it the client loads neither the
 * descriptions nor zod.
 */
export function renderRoutes(resource: Resource, catalogue: Catalogue): string {
  const routes = methodsOf(resource).map((method) => [method.name, routeOf(method, catalogue)]);
  const source = sourceOf(JSON.stringify(Object.fromEntries(routes)));
  return `export const ${resource.name} = ${source} satisfies Readonly<Record<string, Route>>;\n`;
}

/** The named schemas of a module, each after those that it mentions; events of webhooks are checked by no route. */
export function renderSchemas(module: string, catalogue: Catalogue): string[] {
  const models =
    module === 'webhook-events' ? [] : catalogue.models.filter((model) => model.module === module);
  const done = new Map<string, string>();
  const render = ({ name, schema }: Model) => {
    if (done.has(name)) return;
    const plain = JSON.stringify(plainObject(schema, catalogue));
    for (const model of models) if (plain.includes(`"@${schemaName(model)}"`)) render(model);
    done.set(name, `export const ${schemaName({ name })}: ObjectSchema = ${sourceOf(plain)};\n`);
  };
  for (const model of models) render(model);
  return [...done.values()];
}

/** The constant that holds the schema of a model: `Lot` → `lotSchema`. */
export function schemaName({ name }: Pick<Model, 'name'>): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}Schema`;
}

/** JSON as source text: `@lotSchema` is the constant of that name. */
function sourceOf(json: string): string {
  return json.replaceAll(/"@(\w+)"/g, '$1');
}

function routeOf({ operation }: Method, catalogue: Models) {
  const { id, name, method, path, availability, effect, lane, actors, fixedQuery } = operation;
  const { params, query, body, versionFrom, success, envelope, rejection } = operation;
  const reply = replyBody(operation);
  const fields = body === undefined || effect !== 'command' ? [] : schemaFields(body);
  const files = fields.filter(([, field]) => metaOf(field, 'file') === true);
  const asksForBuyer = Object.values(query?.shape ?? {}).some(
    (field) => field instanceof z.ZodType && field.meta()?.['platformOnly'] === true,
  );
  return {
    ...{ name, id, method, path, availability, effect, lane, actors, fixedQuery },
    params: params && plainEntries(Object.entries(params), catalogue),
    query: query && plainObject(query, catalogue),
    body: body && plainObject(body, catalogue),
    fileFields: files.length === 0 ? undefined : files.map(([field]) => field),
    asksForBuyer: asksForBuyer ? true : undefined,
    ...{ versionFrom, success, envelope },
    reply: reply && plainObject(reply, catalogue),
    rejection: rejection && plainSchema(rejection, catalogue),
  };
}

/** The whole body of a reply; undefined if its form is open. */
function replyBody({ envelope, reply }: Operation): z.ZodObject | undefined {
  if (envelope === 'binary' || envelope === 'whole' || envelope === 'raw' || reply === undefined)
    return undefined;
  return envelopeSchema(envelope, reply);
}

/** A schema as plain data (`Schema` of src/api/check.ts), a model by its name. @throws TypeError for a kind without one */
function plainSchema(schema: unknown, catalogue: Models): unknown {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Not a schema of zod');
  const model = catalogue.modelOf(schema);
  if (model !== undefined) return `@${schemaName(model)}`;
  const of = (inner: unknown) => plainSchema(inner, catalogue);
  const { check, money, numericMoney, problem } = schema.meta() ?? {};
  if (isFormat(check)) return check;
  if (numericMoney === true) return 'numericMoney';
  if (schema instanceof z.ZodOptional) return { optional: of(schema.unwrap()) };
  if (schema instanceof z.ZodNullable) return { nullable: of(schema.unwrap()) };
  if (schema instanceof z.ZodString) return 'string';
  if (schema instanceof z.ZodNumber && money === true) return 'paise';
  if (schema instanceof z.ZodNumber) return schema.format === 'safeint' ? 'int' : 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodUnknown) return 'unknown';
  if (schema instanceof z.ZodLiteral) return { values: [...schema.values] };
  if (schema instanceof z.ZodEnum) return { values: schema.options };
  if (schema instanceof z.ZodArray) return { list: of(schema.element), empty: problem };
  if (schema instanceof z.ZodRecord) return { map: of(schema.valueType) };
  if (schema instanceof z.ZodUnion) return { either: schema.options.map(of), problem };
  if (schema instanceof z.ZodObject) return plainObject(schema, catalogue);
  throw new TypeError(`No plain form of a schema of kind "${schema.def.type}"`);
}

/** The same of an object, whatever its name. */
function plainObject(schema: z.ZodObject, catalogue: Models) {
  const { catchall } = schema.def;
  const fields = schemaFields(schema);
  const hints = fields
    .map(([name, field]) => [name, field.meta()?.['hint']] as const)
    .filter(([, hint]) => hint !== undefined);
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever);
  return {
    fields: plainEntries(fields, catalogue),
    rest: isOpen ? plainSchema(catchall, catalogue) : undefined,
    hints: hints.length > 0 ? Object.fromEntries(hints) : undefined,
  };
}

function plainEntries(schemas: readonly (readonly [name: string, schema: z.ZodType])[], catalogue: Models) {
  return Object.fromEntries(schemas.map(([name, schema]) => [name, plainSchema(schema, catalogue)]));
}

function isFormat(name: unknown): name is Format {
  return typeof name === 'string' && Object.hasOwn(formats, name);
}
