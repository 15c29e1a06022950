import * as z from 'zod';
import type { FaultPlan } from '../faults.js';
import type { WireRequest } from '../wire.js';
import { bodyOf } from './bodies.js';

/** A plan in JSON: what `sandbox.inject` takes but for a predicate, and `"always"` for infinitely many times. */
export function faultPlan(request: WireRequest): FaultPlan {
  const { times, ...plan } = bodyOf(request, schema);
  const whole = {
    ...plan,
    ...(times !== undefined && { times: times === 'always' ? Number.POSITIVE_INFINITY : times }),
  };
  return whole as FaultPlan;
}

// Only the kinds of the values: what goes with what is judged where every plan is.
const text = z.string().max(10_000).optional();
const count = z.number().optional();
const schema = z.strictObject({
  fault: z.string(),
  operation: text,
  client: text,
  nth: count,
  times: z.union([z.number(), z.literal('always')]).optional(),
  ms: z
    .number()
    .max(10 * 366 * 86_400_000)
    .optional(),
  retryAfter: count,
  form: text,
  status: count,
  shape: text,
  commit: z.boolean().optional(),
  code: text,
  fields: z.record(z.string(), z.array(z.string())).optional(),
  content: text,
  body: text,
  contentType: text,
  bytes: count,
  part: text,
  bytesPerMs: count,
  stallAfter: count,
  what: text,
  drop: z.boolean().optional(),
  location: text,
});
