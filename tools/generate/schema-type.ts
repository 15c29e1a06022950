import { z } from 'zod';
import type { Models } from './catalogue.js';

/** The type of a file's bytes as a caller gives them. */
export const FILE_CONTENT = 'FileContent';

/** The type of money that a caller gives. */
export const AMOUNT = 'Amount';

/**
 * The TypeScript spelling of a schema.
 *
 * @throws Error for a kind of schema that has none, and for an object without a name.
 */
export function typeOf(schema: z.ZodType, models: Models): string {
  const model = models.modelOf(schema);
  if (model !== undefined) return model.name;
  const meta = schema.meta();
  if (meta?.['file'] === true) return `string | ${FILE_CONTENT}`;
  if (meta?.['check'] === 'amount') return AMOUNT;
  if (meta?.['numericMoney'] === true) return 'string';
  const known = meta?.['x-known-values'];
  if (Array.isArray(known)) return `${known.map(literal).join(' | ')} | (string & {})`;
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return 'string';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodNull) return 'null';
  if (schema instanceof z.ZodUnknown) return 'unknown';
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(literal).join(' | ');
  if (schema instanceof z.ZodEnum) return schema.options.map(literal).join(' | ');
  if (schema instanceof z.ZodNullable) return `${typeOf(inner(schema), models)} | null`;
  if (schema instanceof z.ZodOptional) return typeOf(inner(schema), models);
  if (schema instanceof z.ZodArray) return arrayOf(typeOf(inner(schema), models));
  if (schema instanceof z.ZodRecord) {
    return `{ readonly [key: string]: ${typeOf(asType(schema.valueType), models)} }`;
  }
  if (schema instanceof z.ZodUnion) {
    return [...new Set(schema.options.map((option) => typeOf(asType(option), models)))].join(' | ');
  }
  throw new Error(`No TypeScript spelling for a schema of kind "${schema.def.type}"; an object needs a name`);
}

/** The text under which a field is described, on itself or on what it wraps. */
export function descriptionOf(schema: z.ZodType): string | undefined {
  return textOf(schema, 'description');
}

/** The same for users of the SDK: with what the SDK does beside the wire. */
export function meaningOf(schema: z.ZodType): string | undefined {
  const description = descriptionOf(schema);
  if (description === undefined) return undefined;
  const file =
    metaOf(schema, 'file') === true ? '`fileContent(path)` streams a file in its place.' : undefined;
  return [description, textOf(schema, 'filled'), file].filter((text) => text !== undefined).join(' ');
}

/** A meta value of a schema, or of what it wraps. */
export function metaOf(schema: z.ZodType, key: string): unknown {
  const own = schema.meta()?.[key];
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? metaOf(inner(schema), key)
    : undefined;
}

/** A meta value that is text. */
export function textOf(schema: z.ZodType, key: string): string | undefined {
  const value = metaOf(schema, key);
  return typeof value === 'string' ? value : undefined;
}

export function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** Whether a caller may leave a field of an input out: it is optional, or filled in. */
export function mayBeLeftOut(schema: z.ZodType): boolean {
  return isOptional(schema) || metaOf(schema, 'filled') !== undefined;
}

/** The fields of an object schema, in their order. */
export function schemaFields(schema: z.ZodObject): [name: string, schema: z.ZodType][] {
  return Object.entries(schema.shape).map(([name, field]) => [name, asType(field)]);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  throw new Error(`No TypeScript spelling for the literal ${String(value)}`);
}

function arrayOf(type: string): string {
  return /[|&]|^readonly /.test(type) ? `readonly (${type})[]` : `readonly ${type}[]`;
}

function inner(schema: z.ZodNullable | z.ZodOptional | z.ZodArray): z.ZodType {
  return asType(schema instanceof z.ZodArray ? schema.element : schema.unwrap());
}

function asType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('Not a schema of zod');
}
