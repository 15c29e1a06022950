import * as z from 'zod';

/**
 * Whether a value that a reply schema finds wrong may pass all the same: it stands in an optional field,
 * and isn't money. One odd optional field must not make a whole page, or an accepted bid, unreadable; identity,
 * state, version and money are never guessed at.
 */
export function isTolerable(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  let current: z.ZodType | undefined = schema;
  let optional = false;
  for (const key of path) {
    const parent: z.ZodType | undefined = current === undefined ? undefined : bare(current);
    current = parent === undefined ? undefined : fieldOf(parent, key);
    // A required field makes sense only with its fellows: inside an object that came it is required again.
    if (parent instanceof z.ZodObject) optional = current instanceof z.ZodOptional;
  }
  return optional && current !== undefined && bare(current).meta()?.['money'] !== true;
}

/** A schema without what makes it optional or nullable. */
function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return bare(asType(schema.unwrap()));
  return schema;
}

function fieldOf(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodArray) return asType(schema.element);
  if (schema instanceof z.ZodRecord) return asType(schema.valueType);
  if (schema instanceof z.ZodObject && typeof key === 'string' && Object.hasOwn(schema.shape, key)) {
    return asType(schema.shape[key]);
  }
  return undefined;
}

/** A schema that the types of zod's internals call by a wider name. */
export function asType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('Not a schema of zod');
}
