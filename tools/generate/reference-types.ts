import type { z } from 'zod';
import type { Catalogue } from './catalogue.js';
import { anchor, table } from './markdown.js';
import { FILE_CONTENT, isOptional, mayBeLeftOut, meaningOf, typeOf } from './schema-type.js';

/** A type in prose, with links to the models that it names. */
export function typeLink(schema: z.ZodType, catalogue: Catalogue): string {
  const used = new Set<string>();
  const spelt = typeOf(schema, { catalogue, used });
  if (used.has(spelt)) return `[\`${spelt}\`](models.md#${anchor(spelt)})`;
  used.delete(FILE_CONTENT);
  const links = [...used].map((name) => `[${name}](models.md#${anchor(name)})`);
  return `\`${plainly(spelt)}\`${links.length === 0 ? '' : ` (${links.join(', ')})`}`;
}

/** Whether a question mark stands behind a field: who gives it may leave it out, or who reads it may miss it. */
export type Optionality = 'given' | 'read' | 'none';

export function fieldTable(
  title: string,
  fields: readonly (readonly [name: string, schema: z.ZodType])[],
  optionality: Optionality,
  catalogue: Catalogue,
): string {
  const rows = fields.map(([name, schema]) => {
    const optional =
      optionality === 'given' ? mayBeLeftOut(schema) : optionality === 'read' && isOptional(schema);
    return [`\`${name}\`${optional ? '?' : ''}`, typeLink(schema, catalogue), meaningOf(schema) ?? ''];
  });
  return table([title, 'Type', 'Meaning'], rows);
}

/** A type as a reader of prose takes it in: open enums, open objects and arrays without their TypeScript dress. */
function plainly(type: string): string {
  return type
    .replaceAll('(string & {})', 'string')
    .replaceAll('{ readonly [key: string]: unknown }', 'object')
    .replaceAll('readonly ', '');
}
