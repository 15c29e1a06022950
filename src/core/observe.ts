import type { AttemptDiagnostics, CallDiagnostics } from './telemetry.js';

/** Something that a client does. `facts` are complete once it has ended. */
export type Observed =
  | { readonly kind: 'use_case'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly facts: CallDiagnostics }
  | { readonly kind: 'attempt'; readonly name: string; readonly facts: AttemptDiagnostics };

/** Runs what it observes, and returns or throws what that does. */
export type Observer = <T>(observed: Observed, run: () => Promise<T>) => Promise<T>;

/** The observer of a client, if it has one. */
export interface Observation {
  observer: Observer | undefined;
}

/** Runs something under the observer. Without one, this costs a comparison. */
export function observing<T>(
  observation: Observation | undefined,
  observed: Observed,
  run: () => Promise<T>,
): Promise<T> {
  const observer = observation?.observer;
  return observer === undefined ? run() : observer(observed, run);
}

/** Method of a client that sets its observer, for `vehicle-auction-sdk/opentelemetry` of any build. */
export const observe = Symbol.for('vehicle-auction-sdk.observe');
