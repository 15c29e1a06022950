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
    const methods = catalogue.methods.filter(({ resource }) => resource.name === name);
    const spelling = { catalogue, used: new Set<string>() };
    const routes = methods.map((method) => `${method.name}: ${renderRoute(method, spelling)},\n`);
    const imports = [
      importType(['Route'], '../api/operation.js'),
      spelling.used.size === 0
        ? ''
        : `import { ${[...spelling.used].sort().join(', ')} } from './schemas.js';\n`,
    ];
    files.set(
      `src/routes/${kebab(name)}.ts`,
      `${HEADER}\n${imports.join('')}\nexport const ${name} = {\n${routes.join('')}} satisfies Readonly<Record<string, Route>>;\n`,
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
    const spelling: SchemaSpelling = { catalogue, used: new Set() };
    const text = spellObject(schema, spelling);
    for (const model of catalogue.models) if (spelling.used.has(model.name)) render(model);
    done.set(name, `export const ${name}: ObjectSchema = ${text};\n`);
  };
  for (const model of catalogue.models) if (model.module !== 'webhook-events') render(model);
  return `${HEADER}\n${importType(['ObjectSchema'], '../api/check.js')}\n${[...done.values()].join('\n')}`;
}

function renderRoute(method: Method, spelling: SchemaSpelling): string {
  const { operation } = method;
  const { params, query, body, effect, rejection } = operation;
  const reply = bodyOf(operation);
  const files =
    body === undefined || effect !== 'command'
      ? []
      : fieldsOf(body).filter(([, field]) => metaOf(field, 'file') === true);
  const asksForBuyer = Object.values(query?.shape ?? {}).some(
    (field) => field instanceof z.ZodType && field.meta()?.['platformOnly'] === true,
  );
  const data = ['id', 'method', 'path', 'availability', 'effect', 'lane', 'actors', 'fixedQuery'] as const;
  const rest = ['versionFrom', 'success', 'envelope'] as const;
  const fields: readonly (readonly [name: string, text: string | undefined])[] = [
    ['name', quote(operation.name)],
    ...data.map((name) => [name, spellData(operation[name])] as const),
    ['params', params && spellEntries(params, spelling)],
    ['query', query && spellObject(query, spelling)],
    ['body', body && spellObject(body, spelling)],
    ['fileFields', files.length === 0 ? undefined : spellData(files.map(([name]) => name))],
    ['asksForBuyer', asksForBuyer ? 'true' : undefined],
    ...rest.map((name) => [name, spellData(operation[name])] as const),
    ['reply', reply && spellObject(reply, spelling)],
    ['rejection', rejection && spellSchema(rejection, spelling)],
  ];
  return `{\n${fields.flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${text},\n`])).join('')}}`;
}

/** The whole body of a reply; undefined where its form is open. */
function bodyOf({ envelope, reply }: Operation): z.ZodObject | undefined {
  if (envelope === 'binary' || envelope === 'whole' || envelope === 'raw' || reply === undefined)
    return undefined;
  return envelopeSchema(envelope, reply);
}

function spellEntries(schemas: Readonly<Record<string, z.ZodType>>, spelling: SchemaSpelling): string {
  const entries = Object.entries(schemas).map(
    ([name, schema]) => `${name}: ${spellSchema(schema, spelling)}`,
  );
  return `{ ${entries.join(', ')} }`;
}

function spellData(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(spellData).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${spellData(inner)}`)
    .join(', ')} }`;
}

/** Where schemas are spelt: what is named, and which names came up. */
interface SchemaSpelling {
  readonly catalogue: Pick<Catalogue, 'modelOf'>;
  /** Collects the names of the models that are mentioned. */
  readonly used: Set<string>;
}

/** The source text of a schema as plain data (`Schema` of src/api/check.ts). @throws TypeError for a kind without one */
function spellSchema(schema: unknown, spelling: SchemaSpelling): string {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Not a schema of zod');
  const model = spelling.catalogue.modelOf(schema);
  if (model !== undefined) {
    spelling.used.add(model.name);
    return model.name;
  }
  const of = (inner: unknown) => spellSchema(inner, spelling);
  const { check, money, numericMoney, problem } = schema.meta() ?? {};
  const because = (name: string) => (typeof problem === 'string' ? `, ${name}: ${quote(problem)}` : '');
  if (isFormat(check)) return quote(check);
  if (numericMoney === true) return quote('numericMoney');
  if (schema instanceof z.ZodOptional) return `{ optional: ${of(schema.unwrap())} }`;
  if (schema instanceof z.ZodNullable) return `{ nullable: ${of(schema.unwrap())} }`;
  if (schema instanceof z.ZodString) return quote('string');
  if (schema instanceof z.ZodNumber && money === true) return quote('paise');
  if (schema instanceof z.ZodNumber) return quote(schema.format === 'safeint' ? 'int' : 'number');
  if (schema instanceof z.ZodBoolean) return quote('boolean');
  if (schema instanceof z.ZodUnknown) return quote('unknown');
  if (schema instanceof z.ZodLiteral) return `{ values: [${[...schema.values].map(literal).join(', ')}] }`;
  if (schema instanceof z.ZodEnum) return `{ values: [${schema.options.map(literal).join(', ')}] }`;
  if (schema instanceof z.ZodArray) return `{ list: ${of(schema.element)}${because('empty')} }`;
  if (schema instanceof z.ZodRecord) return `{ map: ${of(schema.valueType)} }`;
  if (schema instanceof z.ZodUnion) {
    return `{ either: [${schema.options.map(of).join(', ')}]${because('problem')} }`;
  }
  if (schema instanceof z.ZodObject) return spellObject(schema, spelling);
  throw new TypeError(`No plain form of a schema of kind "${schema.def.type}"`);
}

/** The same of an object, whatever its name. */
function spellObject(schema: z.ZodObject, spelling: SchemaSpelling): string {
  const { catchall } = schema.def;
  const fields = fieldsOf(schema);
  const hints = fields.flatMap(([name, field]) => {
    const hint = field.meta()?.['hint'];
    return typeof hint === 'string' ? [`${name}: ${quote(hint)}`] : [];
  });
  const parts = [
    `fields: { ${fields.map(([name, field]) => `${name}: ${spellSchema(field, spelling)}`).join(', ')} }`,
  ];
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) {
    parts.push(`rest: ${spellSchema(catchall, spelling)}`);
  }
  if (hints.length > 0) parts.push(`hints: { ${hints.join(', ')} }`);
  return `{ ${parts.join(', ')} }`;
}

/** A text as a literal. */
function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

function isFormat(name: unknown): name is Format {
  return typeof name === 'string' && Object.hasOwn(formats, name);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  throw new TypeError(`No plain form of the literal ${String(value)}`);
}
