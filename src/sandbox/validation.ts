import { isUtf8 } from 'node:buffer';
import type * as z from 'zod';
import { queryPairs } from './canonical.js';
import { invalid, Refusal } from './replies.js';

/** A request body after parsing: a JSON object and the text that it was read from, or why it is none. */
export type JsonBody =
  | { readonly object: Readonly<Record<string, unknown>>; readonly text?: string }
  | { readonly problem: string };

/** Reads a body as the service does: UTF-8 JSON, declared as such, an object at the top. */
export function readJson(body: Uint8Array, contentType: string | undefined): JsonBody {
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? '')) {
    return { problem: 'The body must be sent as Content-Type: application/json.' };
  }
  try {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (!isUtf8(bytes)) return { problem: 'The body must be valid JSON.' };
    const text = bytes.toString('utf8');
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { object: value, text } : { problem: 'The body must be a JSON object.' };
  } catch {
    return { problem: 'The body must be valid JSON.' };
  }
}

/** The checked body of an operation; refuses with the framework's 422, unknown fields included. */
export function checkedBody<S extends z.ZodObject>(schema: S, body: JsonBody): z.output<S> {
  if ('problem' in body) throw new Refusal(invalid(new Map([['body', [body.problem]]])));
  return checked(schema, body.object, 'field');
}

/** The checked query of an operation; numbers are read from their digits. */
export function checkedQuery<S extends z.ZodObject>(schema: S, wireQuery: string): z.output<S> {
  const errors = new Map<string, string[]>();
  const values = new Map<string, unknown>();
  for (const pair of queryPairs(wireQuery)) {
    const name = pair.name.toString('utf8');
    const text = pair.value.toString('utf8');
    if (values.has(name)) complain(errors, name, `The ${name} parameter must be given once.`);
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    values.set(name, field === undefined ? text : typed(field, text));
  }
  if (errors.size > 0) throw new Refusal(invalid(errors));
  return checked(schema, Object.fromEntries(values), 'parameter');
}

/** A query as it is checked: with every name that came, or with the last of each (unknowns: `query-repeated-values`). */
export function distinctNames(wireQuery: string, repeated: 'refused' | 'last'): string {
  if (repeated === 'refused') return wireQuery;
  const last = new Map(wireQuery.split('&').map((pair) => [pair.split('=', 1)[0], pair]));
  return [...last.values()].join('&');
}

/** Refuses any query: for operations that take none. */
export function noQuery(wireQuery: string): void {
  if (wireQuery === '') return;
  const errors = new Map<string, string[]>();
  for (const { name } of queryPairs(wireQuery)) {
    complain(errors, name.toString('utf8'), 'This operation takes no such parameter.');
  }
  if (errors.size > 0) throw new Refusal(invalid(errors));
}

function checked<S extends z.ZodObject>(
  schema: S,
  values: Readonly<Record<string, unknown>>,
  what: string,
): z.output<S> {
  // Checked here and not left to the schema, which overlooks `__proto__`.
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(schema.shape, name));
  const result = schema.safeParse(values);
  if (result.success && unknown.length === 0) return result.data;
  const errors = new Map<string, string[]>();
  for (const name of unknown) complain(errors, name, `The ${what} is not known here.`);
  for (const issue of result.error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') continue;
    complain(errors, issue.path.join('.'), issue.message);
  }
  throw new Refusal(invalid(errors));
}

function typed(schema: z.core.$ZodType, text: string): unknown {
  const asText = safe(schema, text);
  return !asText && /^(?:0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

function safe(schema: z.core.$ZodType, value: unknown): boolean {
  return (
    'safeParse' in schema &&
    typeof schema.safeParse === 'function' &&
    schema.safeParse(value).success === true
  );
}

function complain(errors: Map<string, string[]>, field: string, message: string): void {
  errors.set(field, [...(errors.get(field) ?? []), message]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
