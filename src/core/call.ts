import type { Caller } from './caller.js';
import { limitsFor } from './limits.js';
import type { CallParts } from './parts.js';
import { prepare } from './prepare.js';
import { Run } from './run.js';

/** The pipeline: prepare → ( sign → send → read → classify )* → decode. */
export function createCaller(parts: CallParts): Caller {
  return async <T>(...[operation, input, options]: Parameters<Caller>): Promise<T> => {
    const limits = options === undefined ? parts.limits : limitsFor(parts.limits, options, operation);
    const call = prepare(operation, input, options?.idempotencyKey, parts.defaults, {
      digests: parts.digests,
      uuid: parts.randomness.uuid,
    });
    const run = new Run(parts, call, limits, options ?? {});
    return (await run.toEnd()) as T;
  };
}
