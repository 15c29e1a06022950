import type { World } from '../world.js';
import type { Sale } from './entities.js';
import type { Transfer } from './vehicle-entities.js';

/** The milestones of a sale's ownership transfer, oldest first. */
export function milestonesOf({ cases }: World, sale: Sale): Transfer[] {
  return [...cases.transfers.values()].filter((transfer) => transfer.sale === sale);
}

/** How often the transfer of a sale has changed: its milestones, and the confirmations of them. */
export function transferVersion(world: World, sale: Sale): number {
  return milestonesOf(world, sale).reduce((changes, { version }) => changes + version, 0);
}
