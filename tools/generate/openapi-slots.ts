import type { Operation } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import type { Catalogue, Method } from './catalogue.js';

/** One place of an OpenAPI document: what is reached by one path and one HTTP method. */
export type Slot = Place &
  (
    | { /** Methods of one operation, which differ by their query. */ readonly methods: readonly Method[] }
    | { readonly planned: PlannedOperation }
  );

interface Place {
  readonly path: string;
  readonly verb: 'get' | 'post';
}

/**
 * Where every operation stands.
 *
 * @throws Error where two operations would share a place: the document could hold but one of them.
 */
export function slotsOf({ methods, planned }: Catalogue): Slot[] {
  const slots = new Map<string, Slot>();
  for (const method of methods) {
    const place = placeOf(method.operation);
    const taken = slots.get(keyOf(place));
    const sharing = taken !== undefined && 'methods' in taken ? taken.methods : [];
    if (taken !== undefined) assertShared(taken, method);
    slots.set(keyOf(place), { ...place, methods: [...sharing, method] });
  }
  for (const operation of planned) {
    const place = placeOf(operation);
    const taken = slots.get(keyOf(place));
    if (taken !== undefined) throw collision(operation.id, taken);
    slots.set(keyOf(place), { ...place, planned: operation });
  }
  return [...slots.values()];
}

function placeOf({ method, path }: Pick<Operation, 'method' | 'path'>): Place {
  return { path, verb: method === 'GET' ? 'get' : 'post' };
}

/** Paths that differ by the names of their parameters alone are one path. */
function keyOf({ path, verb }: Place): string {
  return `${verb} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
}

/** Methods share a place where they are one operation: its id, its path, its method, and no body to differ by. */
function assertShared(taken: Slot, method: Method): void {
  const first = 'methods' in taken ? taken.methods[0]?.operation : undefined;
  const { id, path, method: verb, body } = method.operation;
  const same = first?.id === id && first.path === path && first.method === verb && body === undefined;
  if (!same) throw collision(method.operation.name, taken);
}

function collision(name: string, taken: Slot): Error {
  const other =
    'planned' in taken ? taken.planned.id : taken.methods.map(({ operation }) => operation.name).join(', ');
  return new Error(
    `${name} and ${other} share ${taken.verb} ${taken.path}, where OpenAPI holds one operation`,
  );
}
