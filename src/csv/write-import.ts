import type { ImportedVehicle } from '../inventory/types.js';
import { csvLine } from './format.js';
import { type ResultsStream, writeLines } from './write-results.js';

/** Results of an import: what `inventory.import` returns, or an iterable made from it. */
export type ImportResults = (AsyncIterable<ImportedVehicle> | Iterable<ImportedVehicle>) & {
  /** Stops the import if its results can't be written. */
  stop?(): void;
};

const columns = [
  'line',
  'external_id',
  'title',
  'status',
  'vehicle_id',
  'inventory_version',
  'codes',
  'what',
  'next_step',
] as const;

/**
 * Writes the results of an import: JSON lines if the path ends in `.jsonl` or `.ndjson`, otherwise CSV.
 *
 * A file is renamed into place once it is complete, so it is always whole, also after a crash: run the same import again, and it
 * has every vehicle. Only its owner can read it. A stream gets CSV and stays open. Errors of `results` are rethrown afterwards.
 *
 * @param target path of a file, which is replaced, or a Node stream
 * @returns the number of written results
 * @throws ConfigurationError if the target can't be opened (the import is stopped) or written (the import runs to its end first)
 */
export async function writeImport(results: ImportResults, target: string | ResultsStream): Promise<number> {
  const isJson = typeof target === 'string' && /\.(?:jsonl|ndjson)$/i.test(target);
  return writeLines(results, target, {
    overwrite: true,
    call: 'writeImport',
    header: isJson ? '' : csvLine(columns),
    lineOf: (result) => (isJson ? `${JSON.stringify(jsonFields(result))}\n` : csvLine(importCells(result))),
  });
}

function jsonFields({ line, position, ...result }: ImportedVehicle) {
  const { externalId, title, status, vehicleId, inventoryVersion, codes, what, nextStep } = result;
  return {
    line: line ?? position,
    external_id: externalId,
    title,
    status,
    vehicle_id: vehicleId,
    inventory_version: inventoryVersion,
    codes,
    what,
    next_step: nextStep,
  };
}

function importCells(result: ImportedVehicle): readonly string[] {
  const fields = jsonFields(result);
  return columns.map((column) => {
    const value = fields[column];
    return typeof value === 'object' ? value.join(' ') : String(value ?? '');
  });
}
