// Generated from src/api by `npm run generate`; edits are lost.

/**
 * What an inventory command did to a vehicle.
 *
 * API text: Workflow record.
 */
export interface InventoryCommandData {
  /**
   * Private inventory UUID of the vehicle; not a public lot id, and never an id to bid with. (API: Workflow
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
  /** What is recorded. (API: Workflow record) */
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
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Inventory)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `inventory.updateVehicle`.
 *
 * API text: Inventory.
 */
export interface InventoryUpdateVehicleBody {
  /** New headline of the vehicle; left out, it stays. (API: Inventory) */
  readonly title?: string | undefined;
  /** Values to merge in, keyed by field id; fields that are left out keep theirs. (API: Inventory) */
  readonly values?: { readonly [key: string]: unknown } | readonly unknown[] | undefined;
  /** The `inventory_version` that the last command on this vehicle returned. (API: Inventory) */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Inventory)
   */
  readonly idempotency_key?: string | undefined;
}
