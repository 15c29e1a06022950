import { z } from 'zod';
import { envelopeSchema } from '../../src/api/envelopes.js';
import type { Operation } from '../../src/api/operation.js';
import type { Catalogue, Method, Model } from './catalogue.js';
import { HEADER, importType } from './emit.js';
import { kebab } from './names.js';
import { quote, type SchemaSpelling, spellObject, spellSchema } from './plain-schema.js';
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
