import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { thrownCode } from '../errors/thrown.js';
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
  const written = await writeLines(results, target, {
    overwrite: true,
    call: 'writeImport',
    header: isJson ? '' : csvLine(columns),
    lineOf: (result) => (isJson ? `${JSON.stringify(fieldsOf(result))}\n` : csvLine(cellsOf(result))),
  });
  if (typeof target === 'string') await removeAbandoned(target);
  return written;
}

function fieldsOf({ line, position, ...result }: ImportedVehicle) {
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

function cellsOf(result: ImportedVehicle): readonly string[] {
  const fields = fieldsOf(result);
  return columns.map((column) => {
    const value = fields[column];
    return typeof value === 'object' ? value.join(' ') : String(value ?? '');
  });
}

/** Removes unfinished files of killed processes. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const name = basename(path);
  for (const each of await readdir(folder)) {
    const [, pid] = each.startsWith(`${name}.`) ? (/^\.(\d+)\.tmp$/.exec(each.slice(name.length)) ?? []) : [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, each), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists and belongs to another user.
    return thrownCode(error) === 'EPERM';
  }
}
