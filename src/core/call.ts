import type { Route } from '../api/operation.js';
import type { Turn } from '../ports/quota.js';
import type { CallJournal } from './call-journal.js';
import type { Caller, CallInput, MutationOptions } from './caller.js';
import { contextOf } from './context.js';
import { diagnosticsOf, traceCall } from './diagnostics.js';
import { injectedFailure } from './failure.js';
import { laneOf, limitsFor } from './limits.js';
import type { CallParts } from './parts.js';
import { type PreparedCall, prepare } from './prepare.js';
import { safeCause } from './redact.js';
import { Run } from './run.js';

/** One call, in the two steps between which its bytes can be written down. */
export interface Pipeline {
  /** Freezes what is to be sent. @throws InvalidRequestError with everything that is wrong */
  prepare(route: Route, input: CallInput, options?: MutationOptions): PreparedCall;
  /**
   * Sends what is frozen until it comes to an end, and resolves with its payload.
   *
   * @param options as they were given to `prepare`; checked there
   */
  run(call: PreparedCall, options?: MutationOptions, journal?: CallJournal, turn?: Turn): Promise<unknown>;
}

/** The pipeline: prepare → ( permit → sign → send → read → classify )* → decode. */
export function createPipeline(parts: CallParts): Pipeline {
  return {
    prepare: (route, input, options) => {
      // Before what is frozen: options that are no options must not cost a key.
      if (options !== undefined) limitsFor(parts.limits, options, route);
      return prepare(route, input, options, parts.defaults, {
        digests: parts.digests,
        uuid: () => injected(parts, route, 'randomness.uuid', parts.randomness.uuid),
      });
    },
    run: (call, options, journal, turn) => {
      const { route } = call;
      const limits = options === undefined ? parts.limits : limitsFor(parts.limits, options, route);
      const trace = diagnosticsOf(call);
      const settings = {
        limits,
        lane: laneOf(route, options),
        signal: options?.signal,
        trace,
        journal,
        turn,
      };
      const run = injected(parts, route, 'clock', () => new Run(parts, call, settings));
      return traceCall(trace, () => run.toEnd());
    },
  };
}

/** Makes calls that nobody writes down. */
export function callerOf({ prepare, run }: Pipeline): Caller {
  return async <T>(...[route, input, options]: Parameters<Caller>): Promise<T> =>
    (await run(prepare(route, input, options), options)) as T;
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
