import * as z from 'zod';
import { unixMs } from './times.js';

/*
 * Schemas for options, seeds, faults and access facts. A violation is a RangeError that names every invalid field
 * and its valid values.
 */

/**
 * Validates a value. Throws a RangeError with a line for each invalid field. `name` is the root of the field
 * paths.
 */
export function check<S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw new RangeError(problems(error, name).join('\n'));
}

/** One line for each invalid field. */
export function problems(error: z.ZodError, name: string): string[] {
  return flattened(error.issues).map(({ path, message }) => `${fieldPath(name, path)} ${message}`);
}

/** Path of a field for messages, such as `seed.auctions[0].lots`. */
export function fieldPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, root);
}

/** An object with exactly these fields. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has no field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; its fields are ${names}`
        : `must be an object with the fields ${names}`,
  });
}

/** One of these strings. */
export function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be ${words.map((each) => JSON.stringify(each)).join(' or ')}`);
}

export function textUpTo(longest: number) {
  const rule = `must be text of 1 to ${longest} characters`;
  return z.string(rule).min(1, rule).max(longest, rule);
}

export function shaped(pattern: RegExp, rule: string) {
  return z.string(`must be ${rule}`).regex(pattern, `must be ${rule}`);
}

export function whole(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z.int(rule).min(least, rule).max(most, rule);
}

/** A finite number of a unit, at least `least`. */
export function quantity(what: string, least = 0, most = Number.MAX_VALUE) {
  const rule = `must be a number of ${what}, ${least} or more`;
  return z.number(rule).min(least, rule).max(most, rule);
}

export const yesOrNo = z.boolean('must be true or false');
export const money = shaped(
  /^\d{1,12}(\.\d{1,2})?$/,
  'an INR decimal string such as "450000" or "450000.50"',
);

/** A moment in options and controls, parsed to Unix milliseconds. */
export const moment = z
  .union([z.number(), z.string()], 'must be Unix milliseconds or an ISO 8601 date-time with a zone')
  .transform((value, { addIssue }) => {
    try {
      return unixMs(value);
    } catch (error) {
      addIssue(`must be a moment: ${error instanceof Error ? error.message : String(error)}`);
      return z.NEVER;
    }
  });

/** Largest single step of sandbox time, milliseconds. */
export const tenYearsMs = 10 * 366 * 86_400_000;

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** Issues with full paths. For a union, reports the issues of the closest branch, if one stands out. */
function flattened(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    const meant =
      issue.code === 'invalid_union'
        ? issue.errors.find((branch) => branch.length > 0 && branch.every((each) => each.path.length > 0))
        : undefined;
    return meant === undefined ? [{ path, message: issue.message }] : flattened(meant, path);
  });
}
