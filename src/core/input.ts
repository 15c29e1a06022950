import type * as z from 'zod';
import type { InputIssue } from '../errors/local.js';

/** Checks one part of the input against its wire schema; what comes back has the schema's field order. */
export function checkInput(
  schema: z.ZodObject,
  value: object,
): { readonly ok: Record<string, unknown> } | { readonly issues: InputIssue[] } {
  const result = schema.safeParse(value);
  if (result.success) return { ok: result.data };
  const allowed = Object.keys(schema.shape);
  return {
    issues: result.error.issues
      .flatMap((issue) => describe(issue, value, allowed))
      .map((issue) => hinted(schema, issue)),
  };
}

/** Checks one path parameter. */
export function checkParam(name: string, schema: z.ZodType, value: unknown): InputIssue[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const isRecord = typeof value === 'object' && value !== null && 'id' in value;
  return result.error.issues.slice(0, 1).map((issue) => ({
    path: name,
    message: isRecord ? 'must be an id: pass its .id' : plain(issue, value),
  }));
}

function describe(issue: z.core.$ZodIssue, input: object, allowed: readonly string[]): InputIssue[] {
  if (issue.code === 'unrecognized_keys') {
    const prefix = issue.path.map((part) => `${String(part)}.`).join('');
    return issue.keys.map((key) => ({
      path: prefix + key,
      message: `is not a field here; known fields: ${allowed.join(', ')}`,
    }));
  }
  return [{ path: issue.path.map(String).join('.'), message: plain(issue, valueAt(input, issue.path)) }];
}

/** Where a field can be given in another place too, the issue says so. */
function hinted(schema: z.ZodObject, issue: InputIssue): InputIssue {
  const hint: unknown = schema.shape[issue.path]?.meta?.()?.hint;
  return issue.message.startsWith('is required') && typeof hint === 'string'
    ? { ...issue, message: `is required: ${hint}` }
    : issue;
}

/** Own messages of the schemas stand; zod's standard ones are put plainly. Values are never shown. */
function plain(issue: z.core.$ZodIssue, value: unknown): string {
  return `${wordsOf(issue, value)}${remedyFor(value)}`;
}

function wordsOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined)
    return `is required${issue.message.startsWith('must') ? ` and ${issue.message}` : ''}`;
  if (issue.message.startsWith('must')) return issue.message;
  if (issue.code === 'invalid_type') return `must be ${article(issue.expected)}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map((one) => JSON.stringify(one)).join(', ')}`;
  return `is not allowed: ${issue.message}`;
}

/** How to put right what is often given in place of what is asked for. */
function remedyFor(value: unknown): string {
  if (value instanceof Date) return '; a Date was given: toISOString() makes a text of it';
  if (value instanceof Promise) return '; a promise was given: await it first';
  if (value instanceof Uint8Array) {
    return "; bytes were given: Buffer.from(bytes).toString('base64') makes base64 of them";
  }
  return '';
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}
