import type { z } from 'zod';
import type { Actor, Resource } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { capitalise, type Method, methodStem, methodsOf, models } from './catalogue.js';
import { docComment, HEADER, importType } from './emit.js';
import { descriptionOf, fieldsOf, isOptional, metaOf, typeOf } from './schema-type.js';

/** `src/resources/<resource>.ts`: a class per resource, with a subclass for what only one actor may call. */
export function renderResources(): Map<string, string> {
  const files = new Map(
    resources.map((resource) => [`src/resources/${resource.name}.ts`, renderResource(resource)]),
  );
  files.set('src/resources/partner.ts', renderSet('partner'));
  files.set('src/resources/bank.ts', renderSet('bank'));
  return files;
}

type Audience = 'both' | Actor;

function audienceOf({ operation }: Method): Audience {
  const actors = operation.actors ?? ['bank', 'partner'];
  return actors.length === 2 ? 'both' : (actors[0] ?? 'both');
}

function methodsFor(resource: Resource, audience: Audience): Method[] {
  return methodsOf(resource).filter((method) => audienceOf(method) === audience);
}

interface Imports {
  readonly models: Set<string>;
  readonly core: Set<string>;
  partnerType: boolean;
  pager: boolean;
}

function renderResource(resource: Resource): string {
  const imports: Imports = { models: new Set(), core: new Set(['Caller']), partnerType: false, pager: false };
  const classes = (['both', 'partner', 'bank'] as const)
    .map((audience) => renderClass(resource, audience, imports))
    .filter((text) => text !== '');
  const pager = imports.pager ? `import { type Pager, pagerOf } from '../paging/pager.js';\n` : '';
  const modelImports = [...groupByModule(imports.models)]
    .map(([module, names]) => importType(names, `../models/${module}.js`))
    .join('');
  return [
    `${HEADER}
import { ${resource.name} } from '../api/${resource.name}.js';
${imports.partnerType ? importType(['PartnerType'], '../api/operation.js') : ''}${importType(imports.core, '../core/caller.js')}${modelImports}${pager}`,
    `const operations = ${resource.name}.operations;\n`,
    ...classes,
  ].join('\n');
}

function renderClass(resource: Resource, audience: Audience, imports: Imports): string {
  const methods = methodsFor(resource, audience);
  if (methods.length === 0) return '';
  const base =
    audience !== 'both' && methodsFor(resource, 'both').length > 0 ? capitalise(resource.name) : undefined;
  const partnerTyped = methods.some(isPartnerTyped);
  if (partnerTyped) imports.partnerType = true;
  const heritage = base === undefined ? '' : ` extends ${base}`;
  const who = audience === 'both' ? '' : ` As a ${audience} calls it.`;
  return `${docComment([resource.summary + who])}export class ${className(resource, audience)}${partnerTyped ? '<P extends PartnerType = PartnerType>' : ''}${heritage} {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
${base === undefined ? '' : '    super(call);\n'}    this.#call = call;
  }

${methods.map((method) => renderMethod(method, imports)).join('\n')}}
`;
}

/** The class of a resource for an audience: the plain name where there is nothing to tell apart. */
function className(resource: Resource, audience: Audience): string {
  return audience === 'both' ? capitalise(resource.name) : capitalise(audience) + capitalise(resource.name);
}

function renderMethod(method: Method, imports: Imports): string {
  const { operation, name } = method;
  const options = operation.effect === 'read' ? 'CallOptions' : 'MutationOptions';
  imports.core.add(options);

  const parameters = Object.entries(operation.params ?? {}).map(
    ([param, schema]) => `${camel(param)}: ${typeOf(schema, imports.models)}`,
  );
  const input: string[] = [];
  const pathNames = Object.keys(operation.params ?? {});
  if (pathNames.length > 0) {
    input.push(
      `path: { ${pathNames.map((param) => (camel(param) === param ? param : `${param}: ${camel(param)}`)).join(', ')} }`,
    );
  }
  for (const [part, schema] of [
    ['query', operation.query],
    ['body', operation.body],
  ] as const) {
    if (schema === undefined) continue;
    const type = `${methodStem(method)}${capitalise(part)}`;
    imports.models.add(type);
    const allOptional = fieldsOf(schema).every(
      ([, field]) => isOptional(field) || metaOf(field, 'filled') === true,
    );
    const generic = part === 'body' && isPartnerTyped(method) ? '<P>' : '';
    parameters.push(`${part}: ${type}${generic}${allOptional ? ' = {}' : ''}`);
    input.push(part);
  }
  parameters.push(`options?: ${options}`);

  const { returns, call } = renderCall(method, imports);
  const argument = input.length === 0 ? '{}' : `{ ${input.join(', ')} }`;
  return `${methodDoc(method)}  ${name}(${parameters.join(', ')}): ${returns} {
    return ${call}, ${argument}, options);
  }
`;
}

function renderCall({ operation, name }: Method, imports: Imports): { returns: string; call: string } {
  if (operation.envelope === 'binary') {
    imports.core.add('BinaryReply');
    return { returns: 'Promise<BinaryReply>', call: `this.#call<BinaryReply>(operations.${name}` };
  }
  if (operation.reply === undefined) throw new Error(`${operation.id} has no reply`);
  const type = typeOf(operation.reply, imports.models);
  if (operation.envelope.endsWith('page')) {
    imports.pager = true;
    return { returns: `Pager<${type}>`, call: `pagerOf<${type}>(this.#call, operations.${name}` };
  }
  return { returns: `Promise<${type}>`, call: `this.#call<${type}>(operations.${name}` };
}

function methodDoc(method: Method): string {
  const { operation } = method;
  const own = operation.refusals.filter((code) => code !== 'NOT_FOUND');
  return docComment(
    [
      operation.summary,
      ...(operation.notes ?? []),
      own.length === 0 ? undefined : `Codes of its own: ${own.map((code) => `\`${code}\``).join(', ')}.`,
      `API: ${operation.id}, \`${operation.method} ${operation.path}\`, scope \`${operation.scope}\`; "${operation.section}".`,
      ...paramDocs(method),
    ],
    '  ',
  );
}

function paramDocs(method: Method): string[] {
  const { operation } = method;
  const docs = Object.entries(operation.params ?? {}).map(
    ([param, schema]) => `@param ${camel(param)} ${descriptionOf(schema) ?? ''}`,
  );
  if (operation.query !== undefined) docs.push(`@param query Filters: ${fieldNames(operation.query)}.`);
  if (operation.body !== undefined) docs.push(`@param body What to send: ${fieldNames(operation.body)}.`);
  const key = operation.effect === 'read' ? '' : '; the idempotency key';
  docs.push(`@param options Signal, timeout, deadline and attempts of this call${key}.`);
  return docs;
}

function fieldNames(schema: z.ZodObject): string {
  return fieldsOf(schema)
    .map(([name]) => `\`${name}\``)
    .join(', ');
}

function renderSet(actor: Actor): string {
  const members = resources
    .map((resource) => {
      const own = methodsFor(resource, actor);
      if (own.length > 0)
        return { resource, name: className(resource, actor), generic: own.some(isPartnerTyped) };
      if (methodsFor(resource, 'both').length === 0) return undefined;
      return { resource, name: className(resource, 'both'), generic: false };
    })
    .filter((member) => member !== undefined);
  const generic = members.some((member) => member.generic);
  const imports = members
    .map(({ resource, name }) => `import { ${name} } from './${resource.name}.js';\n`)
    .sort()
    .join('');
  return `${HEADER}
${generic ? importType(['PartnerType'], '../api/operation.js') : ''}${importType(['Caller'], '../core/caller.js')}${imports}
/** What ${actor === 'bank' ? 'bank-service credentials' : 'partner credentials'} may call. */
export abstract class ${capitalise(actor)}Resources${generic ? '<P extends PartnerType = PartnerType>' : ''} {
${members.map(({ resource, name, generic: own }) => `${docComment([resource.summary], '  ')}  readonly ${resource.name}: ${name}${own ? '<P>' : ''};\n`).join('')}
  /** @internal */
  constructor(call: Caller) {
${members.map(({ resource, name }) => `    this.${resource.name} = new ${name}(call);\n`).join('')}  }
}
`;
}

function isPartnerTyped({ operation }: Method): boolean {
  return (
    operation.body !== undefined &&
    fieldsOf(operation.body).some(([, field]) => metaOf(field, 'partnerBid') === true)
  );
}

function groupByModule(names: ReadonlySet<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const model = models.find((candidate) => candidate.name === name);
    const module =
      model?.module ?? resources.find((resource) => name.startsWith(capitalise(resource.name)))?.name;
    if (module === undefined) throw new Error(`No module holds ${name}`);
    groups.set(module, [...(groups.get(module) ?? []), name]);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
