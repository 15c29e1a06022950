import type { Operation } from '../api/operation.js';
import { resources } from '../api/service.js';

const named: readonly (readonly [name: string, operation: Operation])[] = resources.flatMap(
  ({ name, operations }) =>
    Object.entries<Operation>(operations).map(
      ([method, operation]) => [`${name}.${method}`, operation] as const,
    ),
);

const names: ReadonlyMap<Operation, string> = new Map(named.map(([name, operation]) => [operation, name]));
const byId: ReadonlyMap<string, string> = new Map([...named].reverse().map(([name, { id }]) => [id, name]));

/** What the method of a client is called that makes this call, such as `saleCases.decide`. */
export function callName(operation: Operation): string | null {
  return names.get(operation) ?? null;
}

/** The same for an operation id; the first of them where two methods share it. */
export function callNameOfId(id: string): string | null {
  return byId.get(id) ?? null;
}

/** The operations that a method name (one) or an operation id (all that have it) stands for. */
export function operationsCalled(nameOrId: string): readonly Operation[] {
  return named
    .filter(([name, { id }]) => name === nameOrId || id === nameOrId)
    .map(([, operation]) => operation);
}
