import { z } from 'zod';
import { type Format, formats } from '../../src/api/formats.js';
import type { Catalogue } from './catalogue.js';
import { fieldsOf } from './schema-type.js';

/** Where schemas are spelt: what is named, and which names came up. */
export interface SchemaSpelling {
  readonly catalogue: Pick<Catalogue, 'modelOf'>;
  /** Collects the names of the models that are mentioned. */
  readonly used: Set<string>;
}

/** The source text of a schema as plain data (`Schema` of src/api/check.ts). @throws TypeError for a kind without one */
export function spellSchema(schema: unknown, spelling: SchemaSpelling): string {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Not a schema of zod');
  const model = spelling.catalogue.modelOf(schema);
  if (model !== undefined) {
    spelling.used.add(model.name);
    return model.name;
  }
  const of = (inner: unknown) => spellSchema(inner, spelling);
  const { check, money, numericMoney, problem } = schema.meta() ?? {};
  const because = (name: string) => (typeof problem === 'string' ? `, ${name}: ${quote(problem)}` : '');
  if (isFormat(check)) return quote(check);
  if (numericMoney === true) return quote('numericMoney');
  if (schema instanceof z.ZodOptional) return `{ optional: ${of(schema.unwrap())} }`;
  if (schema instanceof z.ZodNullable) return `{ nullable: ${of(schema.unwrap())} }`;
  if (schema instanceof z.ZodString) return quote('string');
  if (schema instanceof z.ZodNumber && money === true) return quote('paise');
  if (schema instanceof z.ZodNumber) return quote(schema.format === 'safeint' ? 'int' : 'number');
  if (schema instanceof z.ZodBoolean) return quote('boolean');
  if (schema instanceof z.ZodUnknown) return quote('unknown');
  if (schema instanceof z.ZodLiteral) return `{ values: [${[...schema.values].map(literal).join(', ')}] }`;
  if (schema instanceof z.ZodEnum) return `{ values: [${schema.options.map(literal).join(', ')}] }`;
  if (schema instanceof z.ZodArray) return `{ list: ${of(schema.element)}${because('empty')} }`;
  if (schema instanceof z.ZodRecord) return `{ map: ${of(schema.valueType)} }`;
  if (schema instanceof z.ZodUnion) {
    return `{ either: [${schema.options.map(of).join(', ')}]${because('problem')} }`;
  }
  if (schema instanceof z.ZodObject) return spellObject(schema, spelling);
  throw new TypeError(`No plain form of a schema of kind "${schema.def.type}"`);
}

/** The same of an object, whatever its name. */
export function spellObject(schema: z.ZodObject, spelling: SchemaSpelling): string {
  const { catchall } = schema.def;
  const fields = fieldsOf(schema);
  const hints = fields.flatMap(([name, field]) => {
    const hint = field.meta()?.['hint'];
    return typeof hint === 'string' ? [`${name}: ${quote(hint)}`] : [];
  });
  const parts = [
    `fields: { ${fields.map(([name, field]) => `${name}: ${spellSchema(field, spelling)}`).join(', ')} }`,
  ];
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) {
    parts.push(`rest: ${spellSchema(catchall, spelling)}`);
  }
  if (hints.length > 0) parts.push(`hints: { ${hints.join(', ')} }`);
  return `{ ${parts.join(', ')} }`;
}

/** A text as a literal. */
export function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

function isFormat(name: unknown): name is Format {
  return typeof name === 'string' && Object.hasOwn(formats, name);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  throw new TypeError(`No plain form of the literal ${String(value)}`);
}
