import type { Caller } from './caller.js';
import { diagnosticsOf, traceCall } from './diagnostics.js';
import { laneOf, limitsFor } from './limits.js';
import type { CallParts } from './parts.js';
import { prepare } from './prepare.js';
import { Run } from './run.js';

/** The pipeline: prepare → ( permit → sign → send → read → classify )* → decode. */
export function createCaller(parts: CallParts): Caller {
  return async <T>(...[route, input, options]: Parameters<Caller>): Promise<T> => {
    const limits = options === undefined ? parts.limits : limitsFor(parts.limits, options, route);
    const call = prepare(route, input, options, parts.defaults, {
      digests: parts.digests,
      uuid: parts.randomness.uuid,
    });
    const trace = diagnosticsOf(call);
    const run = new Run(parts, call, {
      limits,
      lane: laneOf(route, options),
      signal: options?.signal,
      trace,
    });
    return (await traceCall(trace, () => run.toEnd())) as T;
  };
}
