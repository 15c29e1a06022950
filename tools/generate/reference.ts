import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { codes } from '../../src/api/codes.js';
import { API_PREFIX } from '../../src/api/common.js';
import type { Operation, Resource } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { choices } from '../../src/sandbox/variants.js';
import {
  type Catalogue,
  DOCUMENTED_ONLY,
  hasTextId,
  isPaged,
  isTunnelled,
  type Method,
  methodsOf,
  whoMayCall,
  wireTarget,
} from './catalogue.js';
import { examples, type Json } from './openapi-schema.js';
import { isOptional, mayBeLeftOut, meaningOf, schemaFields, textOf, typeOf } from './schema-type.js';
import { anchor, byText, camel, kebab, page, table } from './text.js';

/** `docs/reference/*.md` and `docs/open-questions.md`. */
export function renderReference(catalogue: Catalogue): Map<string, string> {
  const files = new Map(
    catalogue.resources.map((resource) => [
      `docs/reference/${kebab(resource.name)}.md`,
      renderResourcePage(resource, catalogue),
    ]),
  );
  files.set('docs/reference/README.md', renderIndex(catalogue));
  files.set('docs/reference/models.md', renderModelsPage(catalogue));
  files.set('docs/reference/codes.md', renderCodes());
  files.set('docs/reference/planned.md', renderPlanned(catalogue.planned));
  files.set('docs/open-questions.md', renderUnknowns());
  return files;
}

function renderIndex({ resources, methods, planned }: Catalogue): string {
  const blocks = resources.map((resource) => {
    const file = `${kebab(resource.name)}.md`;
    const rows = methods
      .filter((method) => method.resource === resource)
      .map((method) => {
        const { operation } = method;
        const open = operation.availability === 'documented' ? ' Not open yet.' : '';
        return [
          `[\`${operation.name}\`](${file}#${anchor(operation.name)})`,
          hasTextId(operation.id) ? operation.id : '',
          `\`${operation.method} ${wireTarget(operation)}\``,
          whoMayCall(operation.actors) ?? 'not stated',
          operation.summary + open,
        ];
      });
    return `## [${resource.name}](${file})\n\n${resource.summary}\n\n${table(['Method', 'Id', 'HTTP', 'For', 'What it does'], rows)}`;
  });
  return page([
    '# Reference',
    `Paths are relative to \`${API_PREFIX}\`; ids are those of the API text, if it gives one. See also [models](models.md) for objects, [codes](codes.md) for error codes, and [planned](planned.md) for the ${planned.length} operations that are not available yet.`,
    ...blocks,
    renderIds(methods),
  ]);
}

/** Methods by the ids of the API text. */
function renderIds(methods: readonly Method[]): string {
  const rows = methods
    .filter(({ operation }) => hasTextId(operation.id))
    .toSorted((a, b) => byText(a.operation.id, b.operation.id))
    .map(({ resource, operation: { id, name, scope, actors } }) => [
      id,
      `[\`${name}\`](${kebab(resource.name)}.md#${anchor(name)})`,
      `\`${scope}\``,
      whoMayCall(actors) ?? 'not stated',
    ]);
  return `## By id\n\n${table(['Id', 'Method', 'Scope', 'For'], rows)}`;
}

/** The page of a resource: each of its methods, what it takes and returns. */
function renderResourcePage(resource: Resource, catalogue: Catalogue): string {
  return page([
    `# ${resource.name}`,
    resource.summary,
    ...methodsOf(resource).flatMap((method) => methodBlocks(method, catalogue)),
  ]);
}

function methodBlocks(method: Method, catalogue: Catalogue): string[] {
  const { operation } = method;
  const { params = {}, query, body, refusals } = operation;
  return [
    `## ${operation.name}`,
    `\`\`\`ts ignore\n${operation.name}(${parameterNames(operation).join(', ')})\n\`\`\``,
    operation.summary,
    operation.availability === 'documented' ? DOCUMENTED_ONLY : '',
    ...(operation.notes ?? []),
    ...(operation.hints ?? []),
    facts(operation)
      .map((fact) => `- ${fact}`)
      .join('\n'),
    fieldTable(
      'Path',
      Object.entries(params).map(([name, schema]) => [camel(name), schema] as const),
      () => false,
      catalogue,
    ),
    query === undefined ? '' : fieldTable('Query', schemaFields(query), mayBeLeftOut, catalogue),
    body === undefined ? '' : fieldTable('Body', schemaFields(body), mayBeLeftOut, catalogue),
    versionText(operation),
    `Returns ${returns(operation, catalogue)}.`,
    refusals.length === 0
      ? ''
      : `Codes in addition to those of [every call](codes.md): ${refusals.map((code) => `\`${code}\``).join(', ')}.`,
    ...exampleBlocks(operation),
  ];
}

/** Body and reply of an operation in the sandbox; its lists are cut to one object. */
function exampleBlocks({ name }: Operation): string[] {
  const example = examples[name];
  if (example === undefined) return [];
  const { request, reply } = example;
  const json = (value: Json) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
  return [
    ...(request === undefined ? [] : ['Example of a body, as the SDK sends it:', json(request)]),
    'Example of a reply, as the sandbox sends it:',
    json(reply),
  ];
}

function parameterNames({ params = {}, query, body }: Operation): string[] {
  const optional = (part: Operation['body']) =>
    part !== undefined && schemaFields(part).every(([, field]) => mayBeLeftOut(field)) ? '?' : '';
  return [
    ...Object.keys(params).map(camel),
    ...(query === undefined ? [] : [`query${optional(query)}`]),
    ...(body === undefined ? [] : [`body${optional(body)}`]),
    'options?',
  ];
}

function facts(operation: Operation): string[] {
  const { id, method, scope, effect, actors, section } = operation;
  const tunnel = isTunnelled(method)
    ? `, signed as ${method} and sent as POST with \`_method: ${method}\` in the body, which the SDK adds`
    : '';
  const who = whoMayCall(actors);
  return [
    `\`${method} ${API_PREFIX}${wireTarget(operation)}\`${tunnel}`,
    `${hasTextId(id) ? `${id} of the API text` : 'API text'}, "${section}"`,
    `scope \`${scope}\`${who === undefined ? '; who may call it is not stated, so both clients have it' : `, for ${who}`}`,
    effect === 'read' ? 'changes nothing' : `changes state: a ${effect}, sent under an idempotency key`,
  ];
}

function versionText({ versionFrom }: Operation): string {
  if (versionFrom === undefined) return '';
  const { param, field } = versionFrom;
  return `\`${camel(param)}\` may be the record itself in place of its id: its \`${field}\` is then sent, and \`expected_version\` may be left out.`;
}

function returns(operation: Operation, catalogue: Catalogue): string {
  const { id, envelope, reply } = operation;
  if (envelope === 'binary') return 'a stream of bytes with its type, length and disposition';
  if (reply === undefined) throw new Error(`${id} needs the schema of its JSON reply`);
  const type = typeLink(reply, catalogue);
  if (!isPaged(operation)) return type;
  return `a ${envelope === 'cursor_page' ? 'cursor pager' : 'pager'} over ${type}; nothing is sent until you iterate it`;
}

/** Every named object of the replies, by name. */
function renderModelsPage(catalogue: Catalogue): string {
  const blocks = catalogue.models.flatMap(({ name, schema }) => {
    const open = textOf(schema, 'open');
    return [
      `## ${name}`,
      textOf(schema, 'title') ?? '',
      fieldTable('Field', schemaFields(schema), isOptional, catalogue),
      open === undefined ? '' : `Any further key: ${open}`,
    ];
  });
  return page([
    '# Models',
    "Field names are those on the wire. `?` marks what a reply may lack; fields that are not listed pass through, and so do values other than those listed in `'a' | string`.",
    ...blocks,
  ]);
}

/** Page of planned operations. */
function renderPlanned(planned: readonly PlannedOperation[]): string {
  const groups = [...new Set(planned.map(({ group }) => group))];
  return page([
    '# Planned operations',
    `The API text lists these ${planned.length} operations as planned: they cannot be called, their scopes cannot be granted, and their fields and replies are undocumented. They have no methods here; [\`openapi.json\`](../../openapi.json) has them with \`x-status: planned\`. Paths are relative to \`${API_PREFIX}\`.`,
    'When one of them becomes available, `client.request()` signs and sends it, PATCH and PUT included, and adds the idempotency key unless it is a GET:',
    "```ts ignore\nconst deposits = await client.request({ method: 'GET', path: '/deposits' });\n```",
    ...groups.map((group) => {
      const own = planned.filter((operation) => operation.group === group);
      const rows = own.map(({ id, method, path }) => [id, `\`${method} ${path}\``]);
      return `## ${group}\n\n${table(['Id', 'HTTP'], rows)}`;
    }),
  ]);
}

/** A type in prose, with links to the models that it names. */
function typeLink(schema: z.ZodType, catalogue: Catalogue): string {
  const spelt = typeOf(schema, catalogue);
  const named = (spelt.match(/\w+/g) ?? []).filter((word) =>
    catalogue.models.some(({ name }) => name === word),
  );
  if (named[0] === spelt) return `[\`${spelt}\`](models.md#${anchor(spelt)})`;
  const links = named.map((name) => `[${name}](models.md#${anchor(name)})`);
  return `\`${plainly(spelt)}\`${links.length === 0 ? '' : ` (${links.join(', ')})`}`;
}

/** A table of fields; a question mark follows those that may be missing. */
function fieldTable(
  title: string,
  fields: readonly (readonly [name: string, schema: z.ZodType])[],
  mayBeMissing: (schema: z.ZodType) => boolean,
  catalogue: Catalogue,
): string {
  const rows = fields.map(([name, schema]) => {
    const mark = mayBeMissing(schema) ? '?' : '';
    return [`\`${name}\`${mark}`, typeLink(schema, catalogue), meaningOf(schema) ?? ''];
  });
  return table([title, 'Type', 'Meaning'], rows);
}

/** A type for readers of prose: open enums, open objects and arrays without TypeScript syntax. */
function plainly(type: string): string {
  return type
    .replaceAll('(string & {})', 'string')
    .replaceAll('{ readonly [key: string]: unknown }', 'object')
    .replaceAll('readonly ', '');
}

/** A gap of the API text and the SDK's behaviour. Code that depends on a gap names its row. */
export interface Unknown {
  readonly id: string;
  /** Section of the API text. */
  readonly where: string;
  readonly unknown: string;
  readonly meanwhile: string;
  /** Sandbox variant that concerns the row, if it has another name. */
  readonly variant?: string;
  /** How `learn` can observe the row on a deployment. `no`: it takes a statement, a delivery, or acts of both sides. */
  readonly observable: 'reading' | 'writing' | 'no';
  /** Evidence that would close the gap. */
  readonly settledBy: string;
}

export const unknowns: readonly Unknown[] = JSON.parse(
  readFileSync(new URL('../../docs/unknowns.json', import.meta.url), 'utf8'),
);

function renderCodes(): string {
  const rows = Object.entries(codes).map(([code, facts]) => [
    `\`${code}\``,
    facts.statuses.join(', '),
    facts.effect,
    'everywhere' in facts ? 'every call' : 'some',
    facts.meaning,
    facts.nextStep,
  ]);
  return page([
    '# Error codes',
    '`refused`: nothing was recorded. `rejected`: the bid was judged and the rejection recorded. `unknown`: a copy may have been let in.',
    table(['Code', 'HTTP', 'Effect', 'On', 'What it means', 'What to do'], rows),
  ]);
}

function renderUnknowns(): string {
  const rows = unknowns.map((row) => [
    `\`${row.id}\``,
    row.where,
    row.unknown,
    row.meanwhile,
    row.variant === undefined ? choicesOf(row.id) : `\`${row.variant}\`: ${choicesOf(row.variant)}`,
    row.observable,
    row.settledBy,
  ]);
  return page([
    '# Open questions',
    'What the API text leaves open, and what the SDK does meanwhile. `startSandbox({ variants })` takes the choices in the column Sandbox, by row or by the name before the colon; the first is the default. The column Observable says how [`learn`](learn.md) can settle the row on a deployment: by `reading`, by `writing` (in a sandbox only), or not.',
    table(['Row', 'Where', 'Not known', 'Meanwhile', 'Sandbox', 'Observable', 'Settled by'], rows),
  ]);
}

/** Sandbox variants of a row, default first; empty if there are none. */
function choicesOf(row: string): string {
  const [first, ...others] =
    Object.entries<readonly string[]>(choices).find(([key]) => key === row)?.[1] ?? [];
  if (first === undefined) return '';
  return [`**\`${first}\`**`, ...others.map((other) => `\`${other}\``)].join(', ');
}
