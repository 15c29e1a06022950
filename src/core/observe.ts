import type * as runtime from '../runtime/observe.js';
import type { AttemptDiagnostics, CallDiagnostics } from './telemetry.js';

export type { DeliveryFacts, EventFacts } from '../runtime/observe.js';
export { observe, observing } from '../runtime/observe.js';

/** Work of a client or a webhook receiver. `facts` are complete once it has ended. */
export type Observed =
  | { readonly kind: 'use_case'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly facts: CallDiagnostics }
  | { readonly kind: 'attempt'; readonly name: string; readonly facts: AttemptDiagnostics }
  | runtime.ObservedWork;

export type Observer = runtime.Observer<Observed>;
export type Observation = runtime.Observation<Observed>;
