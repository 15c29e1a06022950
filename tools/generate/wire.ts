import type { Actor, Operation } from '../../src/api/operation.js';

/** How an operation is told in one line: `A60`, `PATCH /bank/…`, and how it travels. */
export function sourceOf(operation: Operation): string {
  const { id, method } = operation;
  const tunnelled = isTunnelled(method) ? ' (sent as POST with `_method`)' : '';
  return `${hasTextId(id) ? `${id}, ` : ''}\`${method} ${targetOf(operation)}\`${tunnelled}`;
}

/** The path of an operation, with the query that makes it the call it is. */
export function targetOf({ path, fixedQuery }: Operation): string {
  const query = new URLSearchParams(fixedQuery).toString();
  return `${path}${query === '' ? '' : `?${query}`}`;
}

/** Native PATCH and PUT are blocked: such a call is a POST whose body names its method. */
export function isTunnelled(method: Operation['method']): boolean {
  return method === 'PATCH' || method === 'PUT';
}

/** Whether an id is the API text's, or a slug of ours. */
export function hasTextId(id: string): boolean {
  return /^A\d+$/.test(id);
}

/** What is said of an operation that the API text describes and also lists as not callable. */
export const DOCUMENTED_ONLY =
  'The API text describes it, yet lists it as not callable: a 404 is to be expected until the service opens it.';

/** Whom the API text names as callers; undefined where it names nobody. */
export function whoMayCall(actors: readonly Actor[] | undefined): string | undefined {
  if (actors === undefined) return undefined;
  return ['partner', 'bank']
    .filter((actor) => actors.some((named) => named === actor))
    .map((actor) => `${actor}s`)
    .join(' and ');
}

/** Whether a method gives a pager instead of a reply. */
export function isPaged({ envelope }: Operation): boolean {
  return envelope.endsWith('page');
}
