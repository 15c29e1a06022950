import type { Operation } from '../api/operation.js';
import { nameOf } from '../api/service.js';
import type { CallContext } from '../errors/base.js';

/** How an error names the call that it belongs to. */
export function contextOf(operation: Operation): Required<Pick<CallContext, 'call' | 'operation' | 'route'>> {
  return { call: nameOf(operation), operation: operation.id, route: `${operation.method} ${operation.path}` };
}
