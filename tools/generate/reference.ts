import type { z } from 'zod';
import { codes } from '../../src/api/codes.js';
import { API_PREFIX } from '../../src/api/common.js';
import type { Resource } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { unknowns } from '../../src/api/unknowns.js';
import { type Method, methodsOf, modelOf, models } from './catalogue.js';
import { descriptionOf, fieldsOf, isOptional, metaOf, typeOf } from './schema-type.js';

const NOTE = '<!-- Generated from src/api by `npm run generate`; edits are lost. -->\n\n';

/** `docs/reference/*.md` and `docs/open-questions.md`. */
export function renderReference(): Map<string, string> {
  const files = new Map(
    resources.map((resource) => [`docs/reference/${resource.name}.md`, renderResource(resource)]),
  );
  files.set('docs/reference/README.md', renderIndex());
  files.set('docs/reference/models.md', renderModels());
  files.set('docs/reference/codes.md', renderCodes());
  files.set('docs/open-questions.md', renderUnknowns());
  return files;
}

function renderIndex(): string {
  const rows = resources.flatMap((resource) =>
    methodsOf(resource).map(
      ({ name, operation }) =>
        `| [\`${resource.name}.${name}\`](${resource.name}.md#${anchor(`${resource.name}.${name}`)}) | ${operation.id} | \`${operation.method} ${operation.path}\` | ${who(operation.actors)} | ${operation.summary} |`,
    ),
  );
  return `${NOTE}# Reference

Paths stand behind \`${API_PREFIX}\`. Objects are described in [models](models.md), error codes in [codes](codes.md).

| Method | Operation | HTTP | For | What it does |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function renderResource(resource: Resource): string {
  return `${NOTE}# ${resource.name}\n\n${resource.summary}\n\n${methodsOf(resource).map(renderMethod).join('\n')}`;
}

function renderMethod({ resource, name, operation }: Method): string {
  const parameters = [
    ...Object.keys(operation.params ?? {}),
    operation.query && 'query',
    operation.body && 'body',
    'options',
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  const facts = [
    `\`${operation.method} ${API_PREFIX}${operation.path}\``,
    `operation ${operation.id}`,
    `scope \`${operation.scope}\``,
    `for ${who(operation.actors)}`,
    operation.effect === 'read'
      ? 'changes nothing'
      : `changes state: a ${operation.effect}, sent under an idempotency key`,
  ];
  const sections = [
    `## ${resource.name}.${name}\n\n\`\`\`ts ignore\n${resource.name}.${name}(${parameters})\n\`\`\``,
    operation.summary,
    ...(operation.notes ?? []),
    facts.map((fact) => `- ${fact}`).join('\n'),
    table('Path', Object.entries(operation.params ?? {}), false),
    operation.query === undefined ? '' : table('Query', fieldsOf(operation.query), true),
    operation.body === undefined ? '' : table('Body', fieldsOf(operation.body), true),
    `Returns ${returns(operation)}.`,
    operation.refusals.length === 0
      ? ''
      : `Codes beside those of [every call](codes.md): ${operation.refusals.map((code) => `[\`${code}\`](codes.md)`).join(', ')}.`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function returns({ envelope, reply }: Method['operation']): string {
  if (envelope === 'binary') return 'a stream of bytes with its type, length and disposition';
  if (reply === undefined) throw new Error('A JSON reply needs a schema');
  const type = link(reply);
  return envelope.endsWith('page') ? `a pager over ${type}` : type;
}

function link(schema: z.ZodType): string {
  const used = new Set<string>();
  const spelt = typeOf(schema, used).replaceAll('|', '\\|');
  const model = modelOf(schema);
  if (model !== undefined) return `[\`${model.name}\`](models.md#${anchor(model.name)})`;
  const links = [...used].map((name) => `[${name}](models.md#${anchor(name)})`);
  return `\`${spelt}\`${links.length === 0 ? '' : ` (${links.join(', ')})`}`;
}

function table(title: string, fields: [string, z.ZodType][], markOptional: boolean): string {
  if (fields.length === 0) return '';
  const rows = fields.map(([name, schema]) => {
    const optional = isOptional(schema) || metaOf(schema, 'filled') === true;
    return `| \`${name}\`${markOptional && optional ? '?' : ''} | ${link(schema)} | ${descriptionOf(schema) ?? ''} |`;
  });
  return `| ${title} | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`;
}

function renderModels(): string {
  const blocks = models.map(({ name, schema }) => {
    const meta = schema.meta();
    return `## ${name}\n\n${meta?.title ?? ''}\n\n${table('Field', fieldsOf(schema), true)}\n`;
  });
  return `${NOTE}# Models\n\nField names are those on the wire. \`?\` marks what a reply may lack; fields that are not listed pass through.\n\n${blocks.join('\n')}`;
}

function renderCodes(): string {
  const rows = Object.entries(codes).map(
    ([code, facts]) =>
      `| \`${code}\` | ${facts.statuses.join(', ')} | ${facts.effect} | ${'everywhere' in facts ? 'every call' : 'some'} | ${facts.meaning} | ${facts.nextStep} |`,
  );
  return `${NOTE}# Error codes

\`refused\`: nothing was recorded. \`rejected\`: the bid was judged and the rejection recorded. \`unknown\`: a copy may have been let in.

| Code | HTTP | Effect | On | What it means | What to do |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function renderUnknowns(): string {
  const rows = unknowns.map(
    (row) => `| \`${row.id}\` | ${row.where} | ${row.unknown} | ${row.meanwhile} | ${row.settledBy} |`,
  );
  return `${NOTE}# Open questions

What the API text leaves open, and what the SDK does meanwhile.

| Row | Where | Not known | Meanwhile | Settled by |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function who(actors: Method['operation']['actors']): string {
  return actors === undefined || actors.length === 2 ? 'both' : `${actors[0]}s`;
}

function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll('.', '');
}
