import type { z } from 'zod';
import { envelopeSchema } from '../api/envelopes.js';
import type { Operation } from '../api/operation.js';
import { type Repair, repairOf } from './repair.js';

/** What a success carries, checked; or why it can't be trusted. */
export type Decoded =
  | { readonly ok: true; readonly envelope: Readonly<Record<string, unknown>> }
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
  if (!result.success) {
    const [issue] = result.error.issues;
    return {
      ok: false,
      why: `${issue?.path.map(String).join('.') || 'the body'}: ${issue?.message ?? 'unexpected'}`,
    };
  }
  return isEnvelope(value) ? { ok: true, envelope: value } : { ok: false, why: 'the body: not an object' };
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

function isEnvelope(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
