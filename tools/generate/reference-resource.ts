import { API_PREFIX } from '../../src/api/common.js';
import type { Operation, Resource } from '../../src/api/operation.js';
import { type Catalogue, type Method, methodsOf } from './catalogue.js';
import { page } from './markdown.js';
import { camel } from './names.js';
import { fieldTable, typeLink } from './reference-types.js';
import { fieldsOf, mayBeLeftOut } from './schema-type.js';
import { DOCUMENTED_ONLY, hasTextId, isPaged, isTunnelled, targetOf, whoMayCall } from './wire.js';

/** The page of a resource: each of its methods, what it takes and returns. */
export function renderResourcePage(resource: Resource, catalogue: Catalogue): string {
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
      'none',
      catalogue,
    ),
    query === undefined ? '' : fieldTable('Query', fieldsOf(query), 'given', catalogue),
    body === undefined ? '' : fieldTable('Body', fieldsOf(body), 'given', catalogue),
    versionText(operation),
    `Returns ${returns(operation, catalogue)}.`,
    refusals.length === 0
      ? ''
      : `Codes in addition to those of [every call](codes.md): ${refusals.map((code) => `\`${code}\``).join(', ')}.`,
  ];
}

function parameterNames({ params = {}, query, body }: Operation): string[] {
  const optional = (part: Operation['body']) =>
    part !== undefined && fieldsOf(part).every(([, field]) => mayBeLeftOut(field)) ? '?' : '';
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
    `\`${method} ${API_PREFIX}${targetOf(operation)}\`${tunnel}`,
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
  return `a ${envelope === 'cursor_page' ? 'cursor pager' : 'pager'} over ${type}; nothing is sent before it is walked`;
}
