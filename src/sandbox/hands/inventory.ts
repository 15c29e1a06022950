import { vehicleOf } from '../workflow/inventory.js';
import type { InventoryVehicle, VehicleStatus } from '../workflow/vehicle-entities.js';
import { moveVehicle } from '../workflow/vehicle-status.js';
import type { World } from '../world.js';

/** A vehicle of a bank's private inventory as tests see it. */
export interface InventoryInfo {
  /** Private UUID; never the id of a lot. */
  readonly vehicleId: string;
  readonly bankId: string;
  readonly externalId: string;
  readonly title: string;
  readonly schemaVersion: string;
  /** What is stored, by field id, as merged so far. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly status: VehicleStatus;
  /** What the next update has to expect. */
  readonly inventoryVersion: number;
  /** The lot that it is sold as; null where it never was in an auction. */
  readonly lotId: string | null;
}

/** The hand of a bank on its private inventory. */
export class InventoryControls {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Every vehicle that a command made, of all banks, oldest first. `ofLot` has those in auctions. */
  list(): InventoryInfo[] {
    const all = [...this.#world.cases.inventory.values()];
    return all.filter(({ lot }) => lot === undefined).map(info);
  }

  /** The vehicle with this private UUID. Throws a RangeError where there is none. */
  get(vehicleId: string): InventoryInfo {
    return info(this.#find(vehicleId));
  }

  /** The vehicle that a lot sells, by the public id of the lot. Throws a RangeError where there is none. */
  ofLot(lotId: string): InventoryInfo {
    const lot = this.#world.store.lots.get(lotId);
    if (lot === undefined) throw new RangeError(`the sandbox has no lot ${JSON.stringify(lotId)}`);
    return info(vehicleOf(this.#world, lot));
  }

  /**
   * Moves a vehicle that is in no sale, which counts in its `inventory_version`. Throws a RangeError for one that is
   * sold, and for another status.
   */
  setStatus(vehicleId: string, status: 'draft' | 'ready' | 'published'): InventoryInfo {
    if (!unsold.includes(status)) throw new RangeError(`a status is ${unsold.join(', ')}`);
    const vehicle = this.#find(vehicleId);
    if (!unsold.includes(vehicle.state)) {
      throw new RangeError(`vehicle ${vehicleId} is ${vehicle.state}: its sale decides what becomes of it`);
    }
    moveVehicle(this.#world, vehicle, status);
    return info(vehicle);
  }

  #find(vehicleId: string): InventoryVehicle {
    const found = this.#world.cases.inventory.get(vehicleId);
    if (found === undefined) {
      throw new RangeError(`the sandbox has no vehicle ${JSON.stringify(vehicleId)} in its inventory`);
    }
    return found;
  }
}

const unsold: readonly VehicleStatus[] = ['draft', 'ready', 'published'];

function info(vehicle: InventoryVehicle): InventoryInfo {
  return {
    vehicleId: vehicle.id,
    bankId: vehicle.owner.bankId,
    externalId: vehicle.externalId,
    title: vehicle.title,
    schemaVersion: vehicle.form.schemaVersion,
    values: Object.fromEntries(vehicle.values),
    status: vehicle.state,
    inventoryVersion: vehicle.version,
    lotId: vehicle.lot?.id ?? null,
  };
}
