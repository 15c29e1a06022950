import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import type { Recorded } from '../records.js';
import type { Arrived, Call } from './call.js';
import { invalidFields, messageOnly, Refusal, type Reply, refusal } from './replies.js';
import { isObject, type JsonBody } from './wire.js';

/** Parses a body as the service does: UTF-8 JSON with a JSON content type and a top-level object. */
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

/** Validates the body of a call against a schema. Refuses with the framework's 422. */
export function bodyOf<S extends z.ZodObject>(
  call: Call,
  schema: S,
  body: JsonBody = call.json,
): z.output<S> {
  if ('problem' in body) throw new Refusal(invalidFields(new Map([['body', [body.problem]]])));
  if (isDeeperThan(body.object, mostLevels)) {
    const problem = `The body is nested more than ${mostLevels} levels deep. Send a flatter one.`;
    throw new Refusal(invalidFields(new Map([['body', [problem]]])));
  }
  // PATCH and PUT are tunnelled in POST. `_method` is not a field of the operation.
  const { _method, ...own } = body.object;
  const fields = _method === call.operation.method ? own : body.object;
  return validated(call, schema, new Map(Object.entries(fields)), 'field');
}

/** Validates the query of a call against a schema. Digits are read as numbers where needed. */
export function queryOf<S extends z.ZodObject>(call: Call, schema: S): z.output<S> {
  const errors = new Map<string, string[]>();
  const values = new Map<string, unknown>();
  for (const [name, text] of new URLSearchParams(call.query)) {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field !== undefined && values.has(name)) {
      complain(errors, name, `The ${name} parameter must be given once.`);
    }
    values.set(name, field === undefined ? text : typed(field, text));
  }
  if (errors.size > 0) throw new Refusal(invalidFields(errors));
  return validated(call, schema, values, 'parameter');
}

/** Ignores or refuses a query on an operation without one. */
export function noQuery(call: Call): void {
  if (call.query !== '') passOver(call, new Set(new URLSearchParams(call.query).keys()), 'parameter');
}

function validated<S extends z.ZodObject>(
  call: Call,
  schema: S,
  values: ReadonlyMap<string, unknown>,
  what: 'field' | 'parameter',
): z.output<S> {
  const known = new Map<string, unknown>();
  const unknown: string[] = [];
  for (const [name, value] of values) {
    // Checked here because zod drops `__proto__` silently.
    if (!Object.hasOwn(schema.shape, name) || (value === null && isOptional(schema, name)))
      unknown.push(name);
    else known.set(name, plainAmount(name, value));
  }
  passOver(call, unknown, what);
  const result = schema.safeParse(Object.fromEntries(known));
  if (result.success) return result.data;
  const errors = new Map<string, string[]>();
  for (const { path, message } of result.error.issues) complain(errors, path.join('.'), message);
  throw new Refusal(invalidFields(errors));
}

/** Ignores and reports undocumented names, or refuses them with the variant `unknown-fields`. */
function passOver(call: Call, names: Iterable<string>, what: 'field' | 'parameter'): void {
  const all = [...names];
  if (all.length === 0) return;
  if (call.world.settings.variants['unknown-fields'] === 'refused') {
    throw new Refusal(
      invalidFields(new Map(all.map((name) => [name, [`The ${what} is unknown. Remove it.`]]))),
    );
  }
  for (const name of all) call.ignored.push(`${what} ${name}`);
}

function isOptional(schema: z.ZodObject, name: string): boolean {
  return accepts(schema.shape[name], undefined) && !accepts(schema.shape[name], null);
}

/** Removes leading zeros of an amount. The API text allows twelve digits. */
function plainAmount(name: string, value: unknown): unknown {
  const isAmount = /(?:^|_)amount$/.test(name) && typeof value === 'string';
  return isAmount && /^\d{1,12}(?:\.\d{1,2})?$/.test(value) ? value.replace(/^0+(?=\d)/, '') : value;
}

function typed(schema: z.core.$ZodType, text: string): unknown {
  return !accepts(schema, text) && /^(?:0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

function accepts(schema: z.core.$ZodType | undefined, value: unknown): boolean {
  return schema !== undefined && z.safeParse(schema, value).success;
}

/** Idempotency data of a request. */
export interface Keyed {
  readonly key: string;
  /** Route and body digest. A retry must have the same ones. */
  readonly fingerprint: string;
  /** Record of an earlier identical request. */
  readonly earlier: Recorded | undefined;
}

/** Checks the idempotency key of a bid or command. Refuses a missing or different header, and changed content. */
export function keyed(call: Call, bodyKey: string): Keyed {
  if (call.idempotencyKey !== bodyKey) throw new Refusal(refusal(call, 422, ['IDEMPOTENCY_KEY_REQUIRED']));
  const fingerprint = `${call.method} ${call.path}\n${call.bodySha256}`;
  const earlier = call.world.store.recorded(call.party.clientId, bodyKey);
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) throw new Refusal(conflictReply(call));
  return { key: bodyKey, fingerprint, earlier };
}

/** Reply for a key that was used with other content. */
export function conflictReply(request: Arrived): Reply {
  return request.world.settings.variants['idempotency-conflict-message'] === 'code'
    ? refusal(request, 409, ['IDEMPOTENCY_CONFLICT'])
    : messageOnly(409, 'This idempotency key is already stored for different content.');
}

function complain(errors: Map<string, string[]>, field: string, message: string): void {
  errors.set(field, [...(errors.get(field) ?? []), message]);
}

/** Whether JSON has more than `most` levels of objects and lists. Iterative, so that no depth exhausts the stack. */
function isDeeperThan(json: unknown, most: number): boolean {
  const left: [value: unknown, level: number][] = [[json, 0]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [value, level] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (level === most) return true;
    for (const inner of Object.values(value)) left.push([inner, level + 1]);
  }
  return false;
}

/** Levels of nesting that a body can have, as in PHP. What is stored can then be read again. */
const mostLevels = 512;
