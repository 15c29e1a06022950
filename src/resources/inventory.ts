// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller, InputFor, MutationOptions, VersionedVehicle } from '../core/caller.js';
import type {
  InventoryCommandRecord,
  InventoryCreateVehicleBody,
  InventorySchema,
  InventoryUpdateVehicleBody,
} from '../models/inventory.js';
import { inventory } from '../routes/inventory.js';

/**
 * The bank's private vehicle inventory: create, update, and the schemas that it follows. As a bank calls it.
 */
export class Inventory {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Creates a vehicle in the private inventory, as a draft and as nothing else.
   *
   * Keep the record that comes back: it holds the private `vehicle_id`, and the `inventory_version` that the
   * next update needs.
   *
   * A second vehicle with an `external_id` that the bank already uses is detected; the API doesn't show the
   * code.
   *
   * API: A59, `POST /bank/inventory/vehicles`, scope `inventory:write`; "Inventory".
   * @param body What to send: `title`, `external_id`, `schema_version`, `values`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  createVehicle(
    body: InventoryCreateVehicleBody,
    options?: MutationOptions,
  ): Promise<InventoryCommandRecord> {
    return this.#call<InventoryCommandRecord>(inventory.createVehicle, { body }, options);
  }

  /**
   * Updates a draft vehicle: fields that are given are merged in, the others stay.
   *
   * Only a draft can be updated: on a ready or published vehicle the service answers 409; its code is
   * undocumented.
   *
   * The expected version is the `inventory_version` of the last command on this vehicle, not a
   * `resource_version`.
   *
   * API: A60, `PATCH /bank/inventory/vehicles/{vehicle}` (sent as POST with `_method`), scope
   * `inventory:write`; "Inventory".
   * @param vehicle Private inventory UUID of the vehicle: the `vehicle_id` of its last command. Not a public
   * lot id. Or the record as it was read or returned: its id, and its `inventory_version` as
   * `expected_version`.
   * @param body What to send: `title`, `values`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  updateVehicle<Vehicle extends string | VersionedVehicle>(
    vehicle: Vehicle,
    ...[body = {}, options]: InputFor<Vehicle, InventoryUpdateVehicleBody>
  ): Promise<InventoryCommandRecord> {
    return this.#call<InventoryCommandRecord>(inventory.updateVehicle, { path: { vehicle }, body }, options);
  }

  /**
   * Reads the inventory schemas: which fields a vehicle has, and under which ids.
   *
   * Field ids outlive a renaming: key values by id, never by label.
   *
   * API: A63, `GET /bank/inventory/schemas`, scope `inventory-schema:read`; "Inventory".
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  schemas(options?: CallOptions): Promise<readonly InventorySchema[]> {
    return this.#call<readonly InventorySchema[]>(inventory.schemas, {}, options);
  }
}
