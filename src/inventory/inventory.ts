import { Inventory as InventoryCalls } from '../generated/inventory.js';
import type { Caller } from '../ports/caller.js';
import { type ImportPorts, startImport } from './import.js';
import type { ImportOptions, ImportRun, VehicleSource } from './types.js';

/** The bank's private vehicle inventory: create, import, update, and the schemas that it follows. */
export class Inventory extends InventoryCalls {
  readonly #ports: ImportPorts;

  /** @internal */
  constructor(call: Caller, ports: Omit<ImportPorts, 'schemas' | 'create'>) {
    super(call);
    this.#ports = {
      ...ports,
      schemas: (options) => this.schemas(options),
      create: (body, options) => this.createVehicle(body, options),
    };
  }

  /**
   * Creates draft vehicles from rows, each once, however often the import is run or killed.
   *
   * All rows are read first and checked against the schema: columns are matched with labels and ids of fields, values with types
   * and choices. `external_id` is the key of each vehicle (`runOnce`): a run after a crash continues, and vehicles from earlier runs
   * are returned from the store. Changed rows of existing vehicles are not sent; use `updateVehicle`.
   *
   * API: A63, A59; scopes `inventory-schema:read`, `inventory:write`.
   * @param rows Objects of values by column, or `readVehicles(…)` of `vehicle-auction-sdk/csv`.
   * @param options `schema`, `map`, `dryRun`, `onInvalid`, `concurrency`, `signal`, `onProgress`, and limits of each call.
   * @throws InvalidRequestError for options that can't work. Columns that fit no field end the run before anything is sent.
   */
  import(rows: VehicleSource, options: ImportOptions = {}): ImportRun {
    return startImport(this.#ports, rows, options);
  }
}
