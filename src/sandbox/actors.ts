import { inventory } from '../api/inventory.js';
import type { Actor, Operation } from '../api/operation.js';
import type { World } from './world.js';

/**
 * Who may call an operation: those it names, or, where it names nobody, both (unknowns: `unnamed-actors`). Partners
 * may read inventory schemas where the row `inventory-schema-actors` has it so.
 */
export function actorsOf({ settings }: Pick<World, 'settings'>, { id, actors }: Operation): readonly Actor[] {
  if (id === inventory.operations.schemas.id && settings.variants['inventory-schema-actors'] !== 'bank') {
    return ['bank', 'partner'];
  }
  return actors ?? (settings.variants['unnamed-actors'] === 'both' ? ['bank', 'partner'] : ['partner']);
}
