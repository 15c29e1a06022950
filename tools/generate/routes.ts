import { z } from 'zod';
import { envelopeSchema } from '../../src/api/envelopes.js';
import { type Format, formats } from '../../src/api/formats.js';
import type { Operation } from '../../src/api/operation.js';
import type { Catalogue, Method, Model, Models } from './catalogue.js';
import { fieldsOf, metaOf } from './schema-type.js';
import { importType, kebab } from './text.js';

/**
 * `src/routes`: what a call needs to know of each operation, as plain data. With it the client neither loads the
 * descriptions nor zod.
 */
export function renderRoutes(catalogue: Catalogue): Map<string, string> {
  const files = new Map([['src/routes/schemas.ts', renderSchemas(catalogue)]]);
  for (const { name } of catalogue.resources) {
    const routes = catalogue.methods
      .filter(({ resource }) => resource.name === name)
      .map((method) => [method.name, routeOf(method, catalogue)]);
    const schemas = `import { ${catalogue.models.map((model) => model.name).join(', ')} } from './schemas.js';\n`;
    files.set(
      `src/routes/${kebab(name)}.ts`,
      `${importType(['Route'], '../api/operation.js')}${schemas}\nexport const ${name} = ${sourceOf(JSON.stringify(Object.fromEntries(routes)))} satisfies Readonly<Record<string, Route>>;\n`,
    );
  }
  files.set('src/routes/all.ts', renderAll(catalogue));
  return files;
}

function renderAll({ resources }: Catalogue): string {
  const imports = resources.map(({ name }) => `import { ${name} } from './${kebab(name)}.js';\n`).sort();
  const spread = resources.map(({ name }) => `...Object.values(${name}),\n`);
  return `${importType(['Route'], '../api/operation.js')}${imports.join('')}
/** Every operation that has a method. */
export const routes: readonly Route[] = [
${spread.join('')}];
`;
}

/** Every named schema, after those that it mentions. */
function renderSchemas(catalogue: Catalogue): string {
  const done = new Map<string, string>();
  const render = ({ name, schema }: Model) => {
    if (done.has(name)) return;
    const plain = JSON.stringify(plainObject(schema, catalogue));
    for (const model of catalogue.models) if (plain.includes(`"@${model.name}"`)) render(model);
    done.set(name, `export const ${name}: ObjectSchema = ${sourceOf(plain)};\n`);
  };
  for (const model of catalogue.models) if (model.module !== 'webhook-events') render(model);
  return `${importType(['ObjectSchema'], '../api/check.js')}\n${[...done.values()].join('\n')}`;
}

/** JSON as source text: `@Lot` is the constant `Lot`. */
function sourceOf(json: string): string {
  return json.replaceAll(/"@(\w+)"/g, '$1');
}

function routeOf({ operation }: Method, catalogue: Models) {
  const { id, name, method, path, availability, effect, lane, actors, fixedQuery } = operation;
  const { params, query, body, versionFrom, success, envelope, rejection } = operation;
  const reply = bodyOf(operation);
  const fields = body === undefined || effect !== 'command' ? [] : fieldsOf(body);
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

/** The whole body of a reply; undefined where its form is open. */
function bodyOf({ envelope, reply }: Operation): z.ZodObject | undefined {
  if (envelope === 'binary' || envelope === 'whole' || envelope === 'raw' || reply === undefined)
    return undefined;
  return envelopeSchema(envelope, reply);
}

/** A schema as plain data (`Schema` of src/api/check.ts), a model by its name. @throws TypeError for a kind without one */
function plainSchema(schema: unknown, catalogue: Models): unknown {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Not a schema of zod');
  const model = catalogue.modelOf(schema);
  if (model !== undefined) return `@${model.name}`;
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
  const fields = fieldsOf(schema);
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
