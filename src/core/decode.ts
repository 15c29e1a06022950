import type { z } from 'zod';
import { envelopeSchema } from '../api/envelopes.js';
import type { Operation } from '../api/operation.js';
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

const decoders = new WeakMap<Operation, Decoder>();

/**
 * Checks a success against the operation's schema. What comes back is the service's own object, not a copy by
 * the schema: unknown fields survive, and so do the bank's labels, whatever their names.
 */
export function decode(operation: Operation, json: unknown): Decoded {
  const { schema, repair } = decoderOf(operation);
  const value = repair === undefined ? json : repair(json);
  const result = schema.safeParse(value);
  const issues = result.success ? [] : result.error.issues;
  const fatal = issues.find((issue) => !isTolerable(schema, issue.path));
  if (fatal !== undefined) return { ok: false, why: `${dotted(fatal.path) || 'the body'}: ${fatal.message}` };
  if (!isObject(value)) return { ok: false, why: 'the body: not an object' };
  return { ok: true, envelope: value, odd: issues.map((issue) => dotted(issue.path)) };
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function decoderOf(operation: Operation): Decoder {
  const known = decoders.get(operation);
  if (known !== undefined) return known;
  if (operation.envelope === 'binary' || operation.reply === undefined) {
    throw new Error(`${operation.id} has no JSON reply`);
  }
  const schema = envelopeSchema(operation.envelope, operation.reply);
  const decoder = { schema, repair: repairOf(schema) };
  decoders.set(operation, decoder);
  return decoder;
}
