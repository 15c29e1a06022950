import type { World } from '../world.js';
import { touch } from './changes.js';
import type { Entity, Sale } from './entities.js';
import { vehicleOf } from './inventory.js';
import { announce } from './notices.js';
import type { InventoryVehicle, VehicleStatus } from './vehicle-entities.js';
import { statusView } from './vehicle-views.js';

/**
 * Moves the vehicle of a sale on, and tells of it (unknowns: `webhook-emitters`). To be called once the change of the
 * sale is counted. `sold` again takes a release back, `published` a sale.
 */
export function vehicleStatusChanged(
  world: World,
  sale: Sale,
  next: 'published' | 'sold' | 'released' | 'collected',
): void {
  if (next === 'released' && world.settings.variants['webhook-emitters'] !== 'every-step') return;
  moveVehicle(world, vehicleOf(world, sale.lot), next, sale);
}

/** Moves a vehicle, in whose sale or in none, and tells whoever may know of it. */
export function moveVehicle(world: World, vehicle: InventoryVehicle, next: VehicleStatus, sale?: Sale): void {
  const previous = vehicle.state;
  if (previous === next) return;
  vehicle.state = next;
  touch(world, vehicle);
  if (world.settings.variants['webhook-emitters'] === 'none') return;
  const about: Entity = sale ?? vehicle;
  const inSale = sale === undefined ? '' : ` of sale ${sale.id}`;
  announce(
    world,
    'vehicle.status_changed',
    about,
    `Vehicle ${vehicle.title}${inSale || ` ${vehicle.id}`} is ${next}, and was ${previous} before`,
    {
      sale_id: sale?.id ?? null,
      lot_id: vehicle.lot?.id ?? null,
      vehicle_id: vehicle.id,
      previous_vehicle_status: statusView(world, previous),
      vehicle_status: statusView(world, next),
      inventory_version: vehicle.version,
      resource_version: about.version,
    },
  );
}
