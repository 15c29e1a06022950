import type { Actor, Operation } from '../../api/operation.js';
import { resources } from '../../api/service.js';

const named: readonly (readonly [name: string, operation: Operation])[] = resources.flatMap(
  ({ name, operations }) =>
    Object.entries<Operation>(operations).map(
      ([method, operation]) => [`${name}.${method}`, operation] as const,
    ),
);
const names: ReadonlyMap<Operation, string> = new Map(named.map(([name, operation]) => [operation, name]));
const namesById: ReadonlyMap<string, string> = new Map(
  [...named].reverse().map(([name, { id }]) => [id, name]),
);

export const allOperations: readonly Operation[] = named.map(([, operation]) => operation);

/** Every operation, by the client's method for it. */
export const operationNames: readonly string[] = named.map(([name]) => name);

/** Who may call an operation: one that names nobody is open to both. */
export function actorsOf({ actors = ['bank', 'partner'] }: Operation): readonly Actor[] {
  return actors;
}

/** The client's method for an operation, such as `saleCases.decide`. */
export function callName(operation: Operation): string | null {
  return names.get(operation) ?? null;
}

/** The same for an operation id; the first of them where two methods share it. */
export function callNameOfId(id: string): string | null {
  return namesById.get(id) ?? null;
}

/** Whether a method name or an operation id names an operation. */
export function isOperation(nameOrId: string): boolean {
  return named.some(([name, { id }]) => name === nameOrId || id === nameOrId);
}
