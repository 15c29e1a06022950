import * as z from 'zod';
import { type Moment, unixMs } from '../times.js';
import type { WireRequest } from '../wire.js';
import { Declined } from './declined.js';

/** The body of a control call; a field that is unknown or can't be meant is a 400 that names it. */
export function bodyOf<S extends z.ZodType>(request: WireRequest, schema: S): z.output<S> {
  const checked = schema.safeParse(jsonOf(request));
  if (checked.success) return checked.data;
  const complaints = checked.error.issues.map(({ path, message }) =>
    [...path.map(String), message].join(': '),
  );
  throw new Declined(400, complaints.slice(0, 5).join('; '));
}

/** A step by `ms`, or a target `to`: exactly one of them. */
export function stepOf(request: WireRequest, from: number): number {
  const { ms, to } = bodyOf(request, stepSchema);
  if ((ms === undefined) === (to === undefined)) {
    throw new Declined(400, 'Give either ms, by how much, or to, a moment.');
  }
  if (ms !== undefined) return from + ms;
  return declining(400, () => unixMs(to ?? from));
}

/** Does something; its own word on what can't be done becomes a refusal of this status. */
export function declining<T>(status: 400 | 409, work: () => T, isExpected = isRange): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && isExpected(error)) throw new Declined(status, error.message);
    throw error;
  }
}

function isRange(error: Error): boolean {
  return error instanceof RangeError;
}

/** No body at all is an empty object. */
function jsonOf(request: WireRequest): unknown {
  const { body } = request;
  if (body === 'too_large' || body.length > mostBytes) throw new Declined(400, 'The body is too large.');
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Declined(400, 'The body must be valid JSON.');
  }
}

const moment: z.ZodType<Moment> = z.union([z.number(), z.string().max(100)]);
const stepSchema = z.strictObject({ ms: z.number().optional(), to: moment.optional() });
const mostBytes = 65_536;
