import type { Route } from '../api/operation.js';
import type { Caller } from './caller.js';
import { contextOf } from './context.js';
import { diagnosticsOf, traceCall } from './diagnostics.js';
import { injectedFailure } from './failure.js';
import { laneOf, limitsFor } from './limits.js';
import type { CallParts } from './parts.js';
import { prepare } from './prepare.js';
import { safeCause } from './redact.js';
import { Run } from './run.js';

/** The pipeline: prepare → ( permit → sign → send → read → classify )* → decode. */
export function createCaller(parts: CallParts): Caller {
  return async <T>(...[route, input, options]: Parameters<Caller>): Promise<T> => {
    const limits = options === undefined ? parts.limits : limitsFor(parts.limits, options, route);
    const call = prepare(route, input, options, parts.defaults, {
      digests: parts.digests,
      uuid: () => injected(parts, route, 'randomness.uuid', parts.randomness.uuid),
    });
    const trace = diagnosticsOf(call);
    const settings = { limits, lane: laneOf(route, options), signal: options?.signal, trace };
    const run = injected(parts, route, 'clock', () => new Run(parts, call, settings));
    return (await traceCall(trace, () => run.toEnd())) as T;
  };
}

/** Does what relies on something injected, before anything is sent. */
function injected<T>({ leaks }: CallParts, route: Route, option: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const mutates = route.effect !== 'read';
    const context = { ...contextOf(route), attempts: 0, outcome: 'not_sent', mutates } as const;
    throw injectedFailure(context, option, 'failed before the call began', safeCause(cause, leaks));
  }
}
