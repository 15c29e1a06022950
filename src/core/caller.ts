import type { Route } from '../api/operation.js';
import type { CallContext } from '../errors/base.js';
import type { FileStream } from '../ports/caller.js';

/** @internal The same object: at run time every web stream has these methods. */
export function fileStream(stream: ReadableStream<Uint8Array>): FileStream {
  return stream as FileStream;
}

/** How long, and how often, a call may try. */
export interface CallLimits {
  /** Milliseconds for one attempt, the body of its reply included. */
  readonly timeout: number;
  /** Milliseconds for the whole call. */
  readonly deadline: number;
  readonly maxAttempts: number;
}

/** How an error names the call that it belongs to. */
export function contextOf(route: Route): Required<Pick<CallContext, 'call' | 'operation' | 'route'>> {
  return { call: route.name, operation: route.id, route: `${route.method} ${route.path}` };
}
