import type { Actor, Resource } from '../../src/api/operation.js';
import { classFor } from './audiences.js';
import { docComment, HEADER, importType } from './emit.js';
import { capitalise, kebab } from './names.js';

/** `src/resources/partner.ts` and `bank.ts`: every resource that an actor may call, on one object. */
export function renderSet(actor: Actor, resources: readonly Resource[]): string {
  const members = resources.map((resource) => classFor(actor, resource)).filter((own) => own !== undefined);
  const generic = members.some(({ partnerTyped }) => partnerTyped);
  const imports = members
    .map(({ resource, name }) => `import { ${name} } from './${kebab(resource.name)}.js';\n`)
    .sort()
    .join('');
  const fields = members.map(
    ({ resource, name, partnerTyped }) =>
      `${docComment([resource.summary], '  ')}  readonly ${resource.name}: ${name}${partnerTyped ? '<P>' : ''};\n`,
  );
  const assignments = members.map(({ resource, name }) => `    this.${resource.name} = new ${name}(call);\n`);
  return `${HEADER}
${generic ? importType(['PartnerType'], '../api/operation.js') : ''}${importType(['Caller'], '../core/caller.js')}${imports}
/** What ${actor === 'bank' ? 'bank-service credentials' : 'partner credentials'} may call. */
export abstract class ${capitalise(actor)}Resources${generic ? '<P extends PartnerType = PartnerType>' : ''} {
${fields.join('')}
  /** @internal */
  constructor(call: Caller) {
${assignments.join('')}  }
}
`;
}
