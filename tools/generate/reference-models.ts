import type { Catalogue } from './catalogue.js';
import { page } from './markdown.js';
import { fieldTable } from './reference-types.js';
import { fieldsOf, textOf } from './schema-type.js';

/** Every named object of the replies, by name. */
export function renderModelsPage(catalogue: Catalogue): string {
  const blocks = catalogue.models.flatMap(({ name, schema }) => {
    const open = textOf(schema, 'open');
    return [
      `## ${name}`,
      textOf(schema, 'title') ?? '',
      fieldTable('Field', fieldsOf(schema), 'read', catalogue),
      open === undefined ? '' : `Any further key: ${open}`,
    ];
  });
  return page([
    '# Models',
    "Field names are those on the wire. `?` marks what a reply may lack; fields that are not listed pass through, and so do values other than those listed in `'a' | string`.",
    ...blocks,
  ]);
}
