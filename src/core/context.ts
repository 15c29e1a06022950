import type { Route } from '../api/operation.js';
import { nameOf } from '../api/service.js';
import type { CallContext, Outcome } from '../errors/base.js';

/** How an error names the call that it belongs to. */
export function contextOf(route: Route): Required<Pick<CallContext, 'call' | 'operation' | 'route'>> {
  return { call: nameOf(route), operation: route.id, route: `${route.method} ${route.path}` };
}

/** What the whole call knows when it fails. */
export interface FailureContext extends CallContext {
  /** What is known about the effect, all attempts considered. */
  readonly outcome: Outcome;
  /** False for reads: nothing of theirs can double or get lost. */
  readonly mutates: boolean;
}
