import type { Resource } from '../../src/api/operation.js';
import { classesOf, type ResourceClass } from './audiences.js';
import type { Catalogue } from './catalogue.js';
import { docComment, HEADER, importType } from './emit.js';
import { type Mentions, renderMethod } from './methods.js';
import { importModels } from './models.js';
import { kebab } from './names.js';
import { renderSet } from './sets.js';

/** `src/resources/<resource>.ts`: a class per resource, with a subclass for what only one actor may call. */
export function renderResources(catalogue: Catalogue): Map<string, string> {
  const { resources } = catalogue;
  const files = new Map(
    resources.map((resource) => [
      `src/resources/${kebab(resource.name)}.ts`,
      renderResource(resource, catalogue),
    ]),
  );
  for (const actor of ['partner', 'bank'] as const) {
    files.set(`src/resources/${actor}.ts`, renderSet(actor, resources));
  }
  return files;
}

function renderResource(resource: Resource, catalogue: Catalogue): string {
  const mentions: Mentions = {
    catalogue,
    used: new Set(),
    core: new Set(['Caller']),
    pagers: new Map(),
  };
  const classes = classesOf(resource);
  const texts = classes.map((own) => renderClass(own, mentions));
  const imports = [
    classes.some(({ partnerTyped }) => partnerTyped)
      ? importType(['PartnerType'], '../api/operation.js')
      : '',
    importType(mentions.core, '../core/caller.js'),
    ...importModels(mentions.used, catalogue, '../models/'),
    ...[...mentions.pagers]
      .sort()
      .map(([type, { maker, from }]) => `import { type ${type}, ${maker} } from '${from}';\n`),
    `import { ${resource.name} } from '../routes/${kebab(resource.name)}.js';\n`,
  ].join('');
  return [HEADER, imports, ...texts].join('\n');
}

function renderClass(own: ResourceClass, mentions: Mentions): string {
  const { resource, audience, base } = own;
  const generic = own.partnerTyped ? '<P extends PartnerType = PartnerType>' : '';
  const heritage = base === undefined ? '' : ` extends ${base}`;
  const who = audience === 'both' ? '' : ` As a ${audience} calls it.`;
  return `${docComment([resource.summary + who])}export class ${own.name}${generic}${heritage} {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
${base === undefined ? '' : '    super(call);\n'}    this.#call = call;
  }

${own.methods.map((method) => renderMethod(method, mentions)).join('\n')}}
`;
}
