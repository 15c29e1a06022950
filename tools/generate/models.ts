import type { z } from 'zod';
import type { Catalogue, Model } from './catalogue.js';
import { docComment, HEADER, importType, property } from './emit.js';
import { fieldDoc } from './field-doc.js';
import { renderInputs } from './inputs.js';
import { byText, kebab } from './names.js';
import { FILE_CONTENT, fieldsOf, isOptional, type Spelling, textOf, typeOf } from './schema-type.js';

/** Where the type of a file's content is declared. */
const FILE_CONTENT_MODULE = '../ports/file-content.js';

/** `src/models/<module>.ts`: the interfaces of replies, bodies and queries. */
export function renderModels(catalogue: Catalogue): Map<string, string> {
  return new Map(
    catalogue.modules.map((module) => [`src/models/${module}.ts`, renderModule(module, catalogue)]),
  );
}

function renderModule(module: string, catalogue: Catalogue): string {
  const spelling: Spelling = { catalogue, used: new Set() };
  const models = catalogue.models.filter((model) => model.module === module);
  const methods = catalogue.methods.filter(({ resource }) => kebab(resource.name) === module);
  const inputs = methods.flatMap((method) => renderInputs(method, spelling));
  const blocks = [...models.map((model) => renderModel(model, spelling)), ...inputs.map(({ text }) => text)];
  const imports = [
    inputs.some(({ partnerTyped }) => partnerTyped) ? importType(['PartnerType'], '../api/operation.js') : '',
    spelling.used.delete(FILE_CONTENT) ? importType([FILE_CONTENT], FILE_CONTENT_MODULE) : '',
    ...importModels(spelling.used, catalogue, './', module),
  ].join('');
  return [HEADER, ...(imports === '' ? [] : [imports]), ...blocks].join('\n');
}

/** Imports of models from where they are declared; none from the module that asks. */
export function importModels(
  names: ReadonlySet<string>,
  catalogue: Catalogue,
  folder: string,
  asking?: string,
): string[] {
  const byModule = new Map<string, string[]>();
  for (const name of names) {
    const module = catalogue.moduleOf(name);
    if (module !== asking) byModule.set(module, [...(byModule.get(module) ?? []), name]);
  }
  return [...byModule]
    .sort(([a], [b]) => byText(a, b))
    .map(([module, used]) => importType(used, `${folder}${module}.js`));
}

function renderModel({ name, schema }: Model, spelling: Spelling): string {
  const section = textOf(schema, 'section');
  const title = textOf(schema, 'title');
  if (section === undefined || title === undefined) throw new Error(`${name} needs a title and a section`);
  const fields = fieldsOf(schema).map(([field, type]) => renderField(name, field, type, section, spelling));
  const open = textOf(schema, 'open');
  const rest = open === undefined ? '' : `${docComment([open], '  ')}  readonly [field: string]: unknown;\n`;
  const doc = docComment([title, `API text: ${section}.`]);
  return `${doc}export interface ${name} {\n${fields.join('')}${rest}}\n`;
}

function renderField(
  owner: string,
  name: string,
  schema: z.ZodType,
  section: string,
  spelling: Spelling,
): string {
  const doc = fieldDoc(owner, name, schema, section);
  return doc + property(`${name}${isOptional(schema) ? '?' : ''}`, typeOf(schema, spelling));
}
