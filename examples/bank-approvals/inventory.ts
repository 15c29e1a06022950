import type { BankClient, ImportedVehicle, VehicleSource } from 'vehicle-auction-sdk';
import { writeImport } from 'vehicle-auction-sdk/csv';
import type { Settings } from './settings.js';

export interface Import {
  readonly stock: VehicleSource;
  /** Path of the file with the result of each row. */
  readonly results: string;
  /** Only checks the rows. */
  readonly dryRun?: boolean | undefined;
  readonly onVehicle: (vehicle: ImportedVehicle) => void;
}

/** Creates draft vehicles from a file, each once, however often it runs. */
export async function importStock(
  bank: BankClient,
  { inventory: { schema, map } }: Settings,
  { stock, results, dryRun, onVehicle }: Import,
) {
  const onProgress = ({ latest }: { readonly latest: ImportedVehicle }) => onVehicle(latest);
  const run = bank.inventory.import(stock, { schema, map, dryRun, onProgress });
  await writeImport(run, results);
  return run.summary;
}
