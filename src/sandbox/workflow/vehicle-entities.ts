import type { InventoryForm } from '../seed/inventory.js';
import type { Lot } from '../store.js';
import type { Entity, Sale } from './entities.js';

/** A milestone of an ownership transfer, as the bank recorded it. */
export interface Transfer extends Entity {
  readonly kind: 'transfer';
  /** The status that was sent, whatever it is. */
  readonly state: string;
  readonly sale: Sale;
  readonly responsibleParty: unknown;
  readonly reason: string | null;
  readonly evidenceId: string | null;
  readonly documentChecklist: readonly string[] | null;
  /** ISO 8601, as it was sent. */
  readonly occurredAt: string;
  /** Whether the registry confirmed it. */
  verified: boolean;
}

/** Where a vehicle stands: a draft until it is ready, then in an auction, then in a sale. */
export type VehicleStatus = 'draft' | 'ready' | 'published' | 'sold' | 'released' | 'collected';

/** A vehicle of the bank's private inventory. `id` is its private UUID, `version` its `inventory_version`. */
export interface InventoryVehicle extends Entity {
  readonly kind: 'inventory_vehicle';
  state: VehicleStatus;
  readonly externalId: string;
  title: string;
  readonly form: InventoryForm;
  /** By field id, all of them in the form. */
  readonly values: Map<string, unknown>;
  /** The lot that it is sold as; undefined where it never was in an auction. */
  readonly lot: Lot | undefined;
  /** What was last done to it by a command. */
  lastCommand: InventoryCommand | undefined;
}

/** What A59 or A60 did to a vehicle, as it was then. */
export interface InventoryCommand extends Entity {
  readonly kind: 'inventory_command';
  readonly state: 'completed';
  readonly vehicleId: string;
  readonly inventoryVersion: number;
  readonly status: VehicleStatus;
  readonly externalId: string;
  readonly schemaVersion: string;
  readonly title: string;
}
