import { bids } from './bids.js';
import { events } from './events.js';
import { integration } from './integration.js';
import { lots } from './lots.js';
import type { Operation, Resource } from './operation.js';

/** Every resource that has methods, in the order of the reference. */
export const resources: readonly Resource[] = [integration, events, lots, bids];

const names = new Map<Operation, string>(
  resources.flatMap(({ name, operations }) =>
    Object.entries(operations).map(([method, operation]): [Operation, string] => [
      operation,
      `${name}.${method}`,
    ]),
  ),
);

/** What a caller knows an operation by, such as `bids.lookup`; its id for one that has no method. */
export function nameOf(operation: Operation): string {
  return names.get(operation) ?? operation.id;
}
