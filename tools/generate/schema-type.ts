import { z } from 'zod';
import { modelOf } from './catalogue.js';

/** The TypeScript spelling of a schema; `used` collects the names of the models that it mentions. */
export function typeOf(schema: z.ZodType, used: Set<string>): string {
  const model = modelOf(schema);
  if (model !== undefined) {
    used.add(model.name);
    return model.name;
  }
  const meta = schema.meta();
  if (meta?.['numericMoney'] === true) return 'string';
  const known = meta?.['x-known-values'];
  if (Array.isArray(known)) {
    return `${known.map((value) => `'${value}'`).join(' | ')} | (string & {})`;
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return 'string';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodUnknown) return 'unknown';
  if (schema instanceof z.ZodEnum) return schema.options.map((value) => `'${value}'`).join(' | ');
  if (schema instanceof z.ZodNullable) return `${typeOf(inner(schema), used)} | null`;
  if (schema instanceof z.ZodOptional) return typeOf(inner(schema), used);
  if (schema instanceof z.ZodArray) return arrayOf(typeOf(inner(schema), used));
  if (schema instanceof z.ZodRecord)
    return `{ readonly [key: string]: ${typeOf(valueTypeOf(schema), used)} }`;
  if (schema instanceof z.ZodUnion) {
    return [...new Set(schema.options.map((option) => typeOf(asType(option), used)))].join(' | ');
  }
  throw new Error(`No TypeScript spelling for a schema of kind "${schema.def.type}"`);
}

/** The text under which a field is described, on itself or on what it wraps. */
export function descriptionOf(schema: z.ZodType): string | undefined {
  return metaOf(schema, 'description') as string | undefined;
}

/** A meta value of a schema, or of what it wraps. */
export function metaOf(schema: z.ZodType, key: string): unknown {
  const own = schema.meta()?.[key];
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? metaOf(inner(schema), key)
    : undefined;
}

export function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** The fields of an object schema, in their order. */
export function fieldsOf(schema: z.ZodObject): [name: string, schema: z.ZodType][] {
  return Object.entries(schema.shape).map(([name, field]) => [name, asType(field)]);
}

function arrayOf(type: string): string {
  return /[|&]/.test(type) ? `readonly (${type})[]` : `readonly ${type}[]`;
}

function inner(schema: z.ZodNullable | z.ZodOptional | z.ZodArray): z.ZodType {
  return asType(schema instanceof z.ZodArray ? schema.element : schema.unwrap());
}

function valueTypeOf(schema: z.ZodRecord): z.ZodType {
  return asType(schema.valueType);
}

function asType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('Not a schema of zod');
}
