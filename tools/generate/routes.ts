import { z } from 'zod';
import { envelopeSchema } from '../../src/api/envelopes.js';
import { type Format, formats } from '../../src/api/formats.js';
import type { Operation } from '../../src/api/operation.js';
import type { Catalogue, Method, Model } from './catalogue.js';
import { HEADER, importType } from './emit.js';
import { kebab } from './names.js';
import { fieldsOf, metaOf } from './schema-type.js';

/**
 * `src/routes`: what a call needs to know of each operation, as plain data. With it the client neither loads the
 * descriptions nor zod.
 */
export function renderRoutes(catalogue: Catalogue): Map<string, string> {
  const files = new Map([['src/routes/schemas.ts', renderSchemas(catalogue)]]);
  for (const { name } of catalogue.resources) {
    const used = new Set<string>();
    const routes = catalogue.methods
      .filter(({ resource }) => resource.name === name)
      .map((method) => [method.name, routeOf(method, { catalogue, used })]);
    const schemas = used.size === 0 ? '' : `import { ${[...used].sort().join(', ')} } from './schemas.js';\n`;
    files.set(
      `src/routes/${kebab(name)}.ts`,
      `${HEADER}\n${importType(['Route'], '../api/operation.js')}${schemas}\nexport const ${name} = ${sourceOf(Object.fromEntries(routes))} satisfies Readonly<Record<string, Route>>;\n`,
    );
  }
  files.set('src/routes/all.ts', renderAll(catalogue));
  return files;
}

function renderAll({ resources }: Catalogue): string {
  const imports = resources.map(({ name }) => `import { ${name} } from './${kebab(name)}.js';\n`).sort();
  const spread = resources.map(({ name }) => `...Object.values(${name}),\n`);
  return `${HEADER}
${importType(['Route'], '../api/operation.js')}${imports.join('')}
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
    const used = new Set<string>();
    const text = sourceOf(plainObject(schema, { catalogue, used }));
    for (const model of catalogue.models) if (used.has(model.name)) render(model);
    done.set(name, `export const ${name}: ObjectSchema = ${text};\n`);
  };
  for (const model of catalogue.models) if (model.module !== 'webhook-events') render(model);
  return `${HEADER}\n${importType(['ObjectSchema'], '../api/check.js')}\n${[...done.values()].join('\n')}`;
}

/** Data as source text: `@Lot` is the constant `Lot`, and what is undefined is left out. */
function sourceOf(data: object): string {
  return JSON.stringify(data).replaceAll(/"@(\w+)"/g, '$1');
}

function routeOf({ operation }: Method, spelling: SchemaSpelling) {
  const { id, name, method, path, availability, effect, lane, actors, fixedQuery } = operation;
  const { params, query, body, versionFrom, success, envelope, rejection } = operation;
  const reply = bodyOf(operation);
  const files =
    body === undefined || effect !== 'command'
      ? []
      : fieldsOf(body).filter(([, field]) => metaOf(field, 'file') === true);
  const asksForBuyer = Object.values(query?.shape ?? {}).some(
    (field) => field instanceof z.ZodType && field.meta()?.['platformOnly'] === true,
  );
  return {
    ...{ name, id, method, path, availability, effect, lane, actors, fixedQuery },
    params: params && plainEntries(Object.entries(params), spelling),
    query: query && plainObject(query, spelling),
    body: body && plainObject(body, spelling),
    fileFields: files.length === 0 ? undefined : files.map(([field]) => field),
    asksForBuyer: asksForBuyer ? true : undefined,
    ...{ versionFrom, success, envelope },
    reply: reply && plainObject(reply, spelling),
    rejection: rejection && plainSchema(rejection, spelling),
  };
}

/** The whole body of a reply; undefined where its form is open. */
function bodyOf({ envelope, reply }: Operation): z.ZodObject | undefined {
  if (envelope === 'binary' || envelope === 'whole' || envelope === 'raw' || reply === undefined)
    return undefined;
  return envelopeSchema(envelope, reply);
}

/** Where schemas are put plainly: what is named, and which names came up. */
interface SchemaSpelling {
  readonly catalogue: Pick<Catalogue, 'modelOf'>;
  /** Collects the names of the models that are mentioned. */
  readonly used: Set<string>;
}

/** A schema as plain data (`Schema` of src/api/check.ts), a model by its name. @throws TypeError for a kind without one */
function plainSchema(schema: unknown, spelling: SchemaSpelling): unknown {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Not a schema of zod');
  const model = spelling.catalogue.modelOf(schema);
  if (model !== undefined) {
    spelling.used.add(model.name);
    return `@${model.name}`;
  }
  const of = (inner: unknown) => plainSchema(inner, spelling);
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
  if (schema instanceof z.ZodObject) return plainObject(schema, spelling);
  throw new TypeError(`No plain form of a schema of kind "${schema.def.type}"`);
}

/** The same of an object, whatever its name. */
function plainObject(schema: z.ZodObject, spelling: SchemaSpelling) {
  const { catchall } = schema.def;
  const fields = fieldsOf(schema);
  const hints = fields.flatMap(([name, field]) => {
    const hint = field.meta()?.['hint'];
    return hint === undefined ? [] : [[name, hint] as const];
  });
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever);
  return {
    fields: plainEntries(fields, spelling),
    rest: isOpen ? plainSchema(catchall, spelling) : undefined,
    hints: hints.length > 0 ? Object.fromEntries(hints) : undefined,
  };
}

function plainEntries(
  schemas: readonly (readonly [name: string, schema: z.ZodType])[],
  spelling: SchemaSpelling,
) {
  return Object.fromEntries(schemas.map(([name, schema]) => [name, plainSchema(schema, spelling)]));
}

function isFormat(name: unknown): name is Format {
  return typeof name === 'string' && Object.hasOwn(formats, name);
}
