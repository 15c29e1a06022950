import type { InputIssue } from '../errors/local.js';
import type { InventorySchema } from '../generated/inventory.js';
import type { MutationOptions } from '../ports/caller.js';

/** One vehicle: values by column. Text is converted to the types of the schema; an empty text is left out. */
export type VehicleRow = Readonly<Record<string, unknown>>;

/** A row of a file, with its line. */
export interface VehicleFileRow {
  readonly line: number;
  readonly values: VehicleRow;
}

/** A row that could not be read. A source may yield one in place of a row; it is reported and never sent. */
export interface UnreadableVehicle {
  readonly line?: number | undefined;
  readonly issues: readonly InputIssue[];
}

/** Rows of a file, such as `readVehicles` returns. */
export interface VehicleFile extends AsyncIterable<VehicleFileRow | UnreadableVehicle> {
  readonly isVehicleFile: true;
}

/** The source of the vehicles. It is read to its end before the first one is sent. */
export type VehicleSource = Iterable<VehicleRow> | AsyncIterable<VehicleRow> | VehicleFile;

/** Options of `inventory.import`. */
export interface ImportOptions
  extends Pick<MutationOptions, 'timeout' | 'deadline' | 'maxAttempts' | 'lane'> {
  /** `schema_version` of the schema to use, or the schema itself. May be omitted if the bank has one. */
  readonly schema?: string | number | InventorySchema | undefined;
  /**
   * Meaning of the columns: `external_id`, `title`, the label or id of a field, or `null` to ignore it. Columns named
   * `external_id`, `title`, or like a label or id of a field need no entry. Any other column refuses the import.
   */
  readonly map?: Readonly<Record<string, string | null>> | undefined;
  /** Checks every row against the schema, and sends nothing. */
  readonly dryRun?: boolean | undefined;
  /** `stop` (default): if a row is wrong, nothing is sent. `report`: the other rows are sent. */
  readonly onInvalid?: 'stop' | 'report' | undefined;
  /** Vehicles at once, 1 to 16; defaults to 4. */
  readonly concurrency?: number | undefined;
  /** Stops the import: nothing more is sent, and requests in flight are awaited. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each result. Not awaited; its errors are logged. */
  readonly onProgress?: ((progress: ImportProgress) => unknown) | undefined;
}

/**
 * - `created`: this run created the vehicle; `existing`: an earlier run did, and nothing was sent;
 * - `invalid`: the row is wrong; `checked`: it is right, in a dry run;
 * - `refused`: the service refused it; `not_sent`: nothing was sent;
 * - `unknown`: the vehicle may exist. Run the same import again to find out.
 */
export type ImportStatus =
  | 'created'
  | 'existing'
  | 'invalid'
  | 'checked'
  | 'refused'
  | 'not_sent'
  | 'unknown';

/** Result of one row. */
export interface ImportedVehicle {
  readonly status: ImportStatus;
  /** Position of the row in its source, from 1. */
  readonly position: number;
  /** Line of its file, from 1, if it comes from one. */
  readonly line?: number;
  /** The bank's own id. */
  readonly externalId?: string;
  readonly title?: string;
  /** Private inventory UUID, for `updateVehicle`. */
  readonly vehicleId?: string;
  /** Version for `updateVehicle`. */
  readonly inventoryVersion?: number;
  /** Everything that is wrong with the row. */
  readonly issues?: readonly InputIssue[];
  readonly codes: readonly string[];
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
  readonly error?: unknown;
}

/** Progress of an import. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  readonly latest: ImportedVehicle;
}

/** Summary of an import. */
export interface ImportSummary {
  readonly rows: number;
  readonly counts: Readonly<Record<ImportStatus, number>>;
  /** True if every vehicle exists: there is nothing left to do. */
  readonly isComplete: boolean;
  /** Why it ended before all rows were sent; absent if it did not. */
  readonly stopped?: {
    readonly reason: 'invalid' | 'signal' | 'failure';
    readonly what: string;
    readonly error?: unknown;
  };
}

/** A running import. It continues whether or not you read its results, which come in the order of the rows. */
export interface ImportRun extends AsyncIterable<ImportedVehicle> {
  /** The summary, once the import has ended. Never rejects: `stopped` has the cause of an early end. */
  readonly summary: Promise<ImportSummary>;
  /** All results. @throws the error of reading the rows or the schema */
  toArray(): Promise<ImportedVehicle[]>;
  /** Sends nothing more. Requests in flight are awaited. */
  stop(): void;
}
