import type * as z from 'zod';
import { envelopeSchema } from '../api/envelopes.js';
import type { Route } from '../api/operation.js';
import { isTolerable } from '../api/tolerance.js';
import { type Repair, repairOf } from './repair.js';
import { isObject } from './reply.js';

/** What a success carries, checked; or why it can't be trusted. */
export type Decoded =
  | {
      readonly ok: true;
      readonly envelope: Readonly<Record<string, unknown>>;
      /** Paths of optional fields whose values are not of the documented type; they pass as they came. */
      readonly odd: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

interface Decoder {
  readonly schema: z.ZodObject;
  readonly repair: Repair | undefined;
}

const decoders = new WeakMap<Route, Decoder>();

/**
 * Checks a success against the operation's schema. What comes back is the service's own object, not a copy by
 * the schema: unknown fields survive, and so do the bank's labels, whatever their names.
 */
export function decode(route: Route, json: unknown): Decoded {
  const { schema, repair } = decoderOf(route);
  const value = repair === undefined ? json : repair(json);
  const result = schema.safeParse(value);
  const issues = result.success ? [] : result.error.issues;
  const fatal = issues.find((issue) => !isTolerable(schema, issue.path));
  if (fatal !== undefined) return { ok: false, why: `${dotted(fatal.path) || 'the body'}: ${fatal.message}` };
  if (!isObject(value)) return { ok: false, why: 'the body: not an object' };
  return { ok: true, envelope: value, odd: issues.map((issue) => dotted(issue.path)) };
}

const repairs = new WeakMap<z.ZodType, Repair>();

/** The record in the reply of a recorded rejection, put right like a success; undefined where it isn't one. */
export function decodeRejection(schema: z.ZodType, data: unknown): object | undefined {
  const repair = repairs.get(schema) ?? repairOf(schema) ?? ((value: unknown) => value);
  repairs.set(schema, repair);
  const record = repair(data);
  const { error } = schema.safeParse(record);
  return isObject(record) && !error?.issues.some(({ path }) => !isTolerable(schema, path))
    ? record
    : undefined;
}

/** Keys of a reply can be as long as the service likes. */
const PATH_CAP = 200;

function dotted(path: readonly PropertyKey[]): string {
  const text = path.map(String).join('.');
  return text.length > PATH_CAP ? `${text.slice(0, PATH_CAP)}…` : text;
}

function decoderOf(route: Route): Decoder {
  const known = decoders.get(route);
  if (known !== undefined) return known;
  const { envelope, reply } = route;
  if (envelope === 'binary' || envelope === 'whole' || envelope === 'raw' || reply === undefined) {
    throw new Error(`${route.id} has no JSON reply`);
  }
  const schema = envelopeSchema(envelope, reply);
  const decoder = { schema, repair: repairOf(schema) };
  decoders.set(route, decoder);
  return decoder;
}
