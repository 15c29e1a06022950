import * as z from 'zod';
import type { ObjectSchema, Schema } from './check.js';
import { type Format, formats } from './formats.js';

/** A schema of zod as plain data, for `replyChecker` and `inputChecker`. @throws TypeError for a kind without such a form */
export function schemaOf(schema: unknown): Schema {
  if (!(schema instanceof z.ZodType)) throw new TypeError('Not a schema of zod');
  const made = known.get(schema) ?? plain(schema);
  known.set(schema, made);
  return made;
}

const known = new WeakMap<z.ZodType, Schema>();

function plain(schema: z.ZodType): Schema {
  const { check, money, numericMoney, problem } = schema.meta() ?? {};
  if (isFormat(check)) return check;
  if (numericMoney === true) return 'numericMoney';
  if (schema instanceof z.ZodOptional) return { optional: schemaOf(schema.unwrap()) };
  if (schema instanceof z.ZodNullable) return { nullable: schemaOf(schema.unwrap()) };
  if (schema instanceof z.ZodUndefined) return { optional: { values: [] } };
  if (schema instanceof z.ZodString) return 'string';
  if (schema instanceof z.ZodNumber && money === true) return 'paise';
  if (schema instanceof z.ZodNumber) return schema.format === 'safeint' ? 'int' : 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodUnknown) return 'unknown';
  if (schema instanceof z.ZodLiteral) return { values: [...schema.values].map(literal) };
  if (schema instanceof z.ZodEnum) return { values: schema.options.map(literal) };
  if (schema instanceof z.ZodArray) {
    return { list: schemaOf(schema.element), ...(typeof problem === 'string' && { empty: problem }) };
  }
  if (schema instanceof z.ZodRecord) return { map: schemaOf(schema.valueType) };
  if (schema instanceof z.ZodUnion) {
    return { either: schema.options.map(schemaOf), ...(typeof problem === 'string' && { problem }) };
  }
  if (schema instanceof z.ZodObject) return objectSchemaOf(schema);
  throw new TypeError(`No plain form of a schema of kind "${schema.def.type}"`);
}

function objectSchemaOf(schema: z.ZodObject): ObjectSchema {
  const { catchall } = schema.def;
  const fields = Object.entries(schema.shape);
  const hints = fields.flatMap(([name, field]) => {
    const hint: unknown = field instanceof z.ZodType ? field.meta()?.['hint'] : undefined;
    return typeof hint === 'string' ? [[name, hint] as const] : [];
  });
  return {
    fields: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
    ...(catchall !== undefined && !(catchall instanceof z.ZodNever) && { rest: schemaOf(catchall) }),
    ...(hints.length > 0 && { hints: Object.fromEntries(hints) }),
  };
}

function isFormat(name: unknown): name is Format {
  return typeof name === 'string' && Object.hasOwn(formats, name);
}

function literal(value: unknown): string | boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  throw new TypeError(`No plain form of the literal ${String(value)}`);
}
