import type { Lot } from '../store.js';
import type { World } from '../world.js';
import type { Entity, Owner, Sale } from './entities.js';

/** The beginning of a record: a fresh id, version 1, made now. */
export function fresh<Kind extends string, State extends string>(
  world: World,
  prefix: string,
  kind: Kind,
  state: State,
  owner: Owner,
) {
  const now = world.clock.now();
  return { id: world.ids.next(prefix), kind, state, owner, version: 1, createdAt: now, updatedAt: now };
}

/** Counts a change of a record. */
export function touch(world: Pick<World, 'clock'>, entity: Entity): void {
  entity.version += 1;
  entity.updatedAt = world.clock.now();
}

/** Counts that a command on a record has made another one: whether that moves the first isn't shown (unknowns: `new-record-version`). */
export function touchFirst(world: World, entity: Entity): void {
  if (world.settings.variants['new-record-version'] === 'moves') touch(world, entity);
}

/** Counts a change of a sale, which the status of its lot shows too. */
export function touchSale(world: World, sale: Sale): void {
  touch(world, sale);
  touchLot(world, sale.lot);
}

/** Counts a change of where a lot stands. */
export function touchLot(world: World, lot: Lot): void {
  lot.resourceVersion += 1;
  lot.updatedAt = world.clock.now();
}
