import { formFor } from '../seed/inventory.js';
import type { Lot } from '../store.js';
import type { World } from '../world.js';
import type { InventoryVehicle } from './vehicle-entities.js';

/** The vehicle that a lot sells, in the private inventory of its bank: published, as long as nobody bought it. */
export function vehicleOf(world: World, lot: Lot): InventoryVehicle {
  const known = world.cases.inventoryOfLots.get(lot.id);
  if (known !== undefined) return known;
  const { bankId } = world.store.auctionOf(lot);
  const form = formFor(bankId, lot.vehicle);
  const filled = form.fields
    .map(({ id, of }) => [id, of?.(lot.vehicle)] as const)
    .filter(([, value]) => value !== undefined);
  const now = world.clock.now();
  const vehicle: InventoryVehicle = {
    id: world.ids.uuidOf(`vehicle of ${lot.id}`),
    kind: 'inventory_vehicle',
    state: 'published',
    owner: { bankId, partnerId: null },
    version: 1,
    createdAt: now,
    updatedAt: now,
    externalId: lot.vehicle.bankReference,
    title: lot.vehicle.title,
    form,
    values: new Map(filled),
    lot,
    lastCommand: undefined,
  };
  world.cases.inventory.set(vehicle.id, vehicle);
  world.cases.inventoryOfLots.set(lot.id, vehicle);
  return vehicle;
}

/** The vehicle that a bank keeps under an id of its own, those in its auctions included. */
export function underExternalId(world: World, bankId: string, id: string): InventoryVehicle | undefined {
  const { cases, store } = world;
  const kept = [...cases.inventory.values()];
  const found = kept.find(({ owner, externalId }) => owner.bankId === bankId && externalId === id);
  if (found !== undefined) return found;
  const lot = [...store.lots.values()].find(
    (each) => each.vehicle.bankReference === id && store.auctionOf(each).bankId === bankId,
  );
  return lot && vehicleOf(world, lot);
}
