// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller, InputFor, MutationOptions, VersionedVehicle } from '../ports/caller.js';

/**
 * Result of an inventory command.
 *
 * API text: Workflow record.
 */
export interface InventoryCommandData {
  /**
   * Private inventory UUID of the vehicle. Not a public lot id; you cannot bid with it. (API: Workflow
   * record)
   */
  readonly vehicle_id?: string;
  /**
   * Version of the vehicle after this command; the next update sends it as `expected_version`. (API: Workflow
   * record)
   */
  readonly inventory_version?: number;
  /** Status of the vehicle; `draft` after it was created. (API: Workflow record) */
  readonly status?: 'draft' | 'ready' | (string & {});
  /** The bank's own id of the vehicle. (API: Workflow record) */
  readonly external_id?: string;
  /** Version of the inventory schema that the values follow. (API: Workflow record) */
  readonly schema_version?: string | number;
  /** Headline of the vehicle. (API: Workflow record) */
  readonly title?: string | null;
}

/**
 * An inventory command, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface InventoryCommandRecord {
  /** Id of an inventory command. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'inventory_command' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'completed' | (string & {});
  /**
   * Version of this record; an update of the vehicle sends `data.inventory_version` instead. (API: Workflow
   * record)
   */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: InventoryCommandData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * The bank's form for vehicles in inventory.
 *
 * API text: Non-record read shapes.
 */
export interface InventorySchema {
  /** Version to name in `createVehicle`; string or number is undocumented. (API: Non-record read shapes) */
  readonly schema_version: string | number;
  /** Name of the schema. (API: Non-record read shapes) */
  readonly name?: string;
  /** Version number of the schema itself. (API: Non-record read shapes) */
  readonly version?: string | number;
  /**
   * The fields that a vehicle can have: id, label, type, enum values; the shape of an entry is undocumented.
   * (API: Non-record read shapes)
   */
  readonly fields?: readonly unknown[] | { readonly [key: string]: unknown };
}

/**
 * Body of `inventory.createVehicle`.
 *
 * API text: Inventory.
 */
export interface InventoryCreateVehicleBody {
  /** Headline of the vehicle. (API: Inventory) */
  readonly title: string;
  /** The bank's own id of the vehicle, unique within the bank. (API: Inventory) */
  readonly external_id: string;
  /**
   * Version of the inventory schema that the values follow, as `inventory.schemas` gives it. (API: Inventory)
   */
  readonly schema_version: string | number;
  /** Values of the dynamic fields, keyed by field id. (API: Inventory) */
  readonly values: { readonly [key: string]: unknown } | readonly unknown[];
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Inventory)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `inventory.updateVehicle`.
 *
 * API text: Inventory.
 */
export interface InventoryUpdateVehicleBody {
  /** New headline of the vehicle. Omit it to keep the current one. (API: Inventory) */
  readonly title?: string | undefined;
  /** Values to merge, keyed by field id. Omitted fields keep their values. (API: Inventory) */
  readonly values?: { readonly [key: string]: unknown } | readonly unknown[] | undefined;
  /** The `inventory_version` that the last command on this vehicle returned. (API: Inventory) */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Inventory)
   */
  readonly idempotency_key?: string | undefined;
}

export const inventoryCommandDataSchema: ObjectSchema = {
  fields: {
    vehicle_id: { optional: 'string' },
    inventory_version: { optional: 'int' },
    status: { optional: 'string' },
    external_id: { optional: 'string' },
    schema_version: { optional: { either: ['string', 'number'] } },
    title: { optional: { nullable: 'string' } },
  },
};

export const inventoryCommandRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: inventoryCommandDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const inventorySchemaSchema: ObjectSchema = {
  fields: {
    schema_version: { either: ['string', 'number'] },
    name: { optional: 'string' },
    version: { optional: { either: ['string', 'number'] } },
    fields: { optional: { either: [{ list: 'unknown' }, { map: 'unknown' }] } },
  },
};

export const inventory = {
  createVehicle: {
    name: 'inventory.createVehicle',
    id: 'A59',
    method: 'POST',
    path: '/bank/inventory/vehicles',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    body: {
      fields: {
        title: 'filled',
        external_id: 'filled',
        schema_version: {
          either: ['filled', 'number'],
          problem: 'must be the schema_version that the service gave',
        },
        values: {
          either: [{ map: 'unknown' }, { list: 'unknown' }],
          problem: 'must be an object keyed by field id',
        },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: inventoryCommandRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  updateVehicle: {
    name: 'inventory.updateVehicle',
    id: 'A60',
    method: 'PATCH',
    path: '/bank/inventory/vehicles/{vehicle}',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { vehicle: 'pathId' },
    body: {
      fields: {
        title: { optional: 'filled' },
        values: {
          optional: {
            either: [{ map: 'unknown' }, { list: 'unknown' }],
            problem: 'must be an object keyed by field id',
          },
        },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'vehicle', kind: 'inventory_command', field: 'inventory_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: inventoryCommandRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  schemas: {
    name: 'inventory.schemas',
    id: 'A63',
    method: 'GET',
    path: '/bank/inventory/schemas',
    availability: 'callable',
    effect: 'read',
    actors: ['bank'],
    success: [200],
    envelope: 'read',
    reply: { fields: { data: { list: inventorySchemaSchema }, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * The bank's private vehicle inventory: create, update, and the schemas that it follows. As a bank calls it.
 *
 * To look up an id, such as A59: `npx vehicle-auction-sdk docs A59`.
 */
export class Inventory {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Creates a draft vehicle in the private inventory.
   *
   * Keep the returned record: it holds the private `vehicle_id` and the `inventory_version` for the next
   * update.
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
   * Updates a draft vehicle. Given fields are merged; omitted ones stay.
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
   * Reads the inventory schemas: the fields of a vehicle and their ids.
   *
   * Field ids stay the same when a field is renamed. Key values by id, never by label.
   *
   * API: A63, `GET /bank/inventory/schemas`, scope `inventory-schema:read`; "Inventory".
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  schemas(options?: CallOptions): Promise<readonly InventorySchema[]> {
    return this.#call<readonly InventorySchema[]>(inventory.schemas, {}, options);
  }
}
