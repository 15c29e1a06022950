import { isAmount, toPaise } from 'vehicle-auction-sdk';
import { readTable, TableError } from './csv.js';

/** Reserve prices by lot id, INR decimal strings. */
export type Reserves = ReadonlyMap<string, string>;

/** Reads a table of `lot_id,reserve`. @throws TableError for what is no amount, and for two reserves of one lot. */
export async function readReserves(path: string): Promise<Reserves> {
  const reserves = new Map<string, string>();
  for (const [lotId = '', reserve = ''] of await readTable(path, ['lot_id', 'reserve'])) {
    if (!isAmount(reserve)) {
      throw new TableError(`${path}: the reserve of ${lotId} must be like 465000 or 465000.50`);
    }
    if (toPaise(reserves.get(lotId) ?? reserve) !== toPaise(reserve)) {
      throw new TableError(`${path}: ${lotId} has two reserves`);
    }
    reserves.set(lotId, reserve);
  }
  return reserves;
}
