import { createHash } from 'node:crypto';
import { fromPaise, isAmount, toPaise } from 'vehicle-auction-sdk';
import { type CsvRecord, readCsv } from './csv.js';

/** One row of the bids file: one intended bid. */
export interface Bid {
  readonly row: string;
  readonly lot: string;
  readonly buyer: string;
  /** INR decimal string with two decimals: however the file writes an amount, the bytes that are sent stay the same. */
  readonly amount: string;
  /** The idempotency key of this row, the same however often the file is run. */
  readonly key: string;
}

/** Whose bids they are: what keys are made of, beside the row. */
export interface Batch {
  /** Name of the batch, never used for another. */
  readonly id: string;
  /** The API client that bids: idempotency keys belong to it. */
  readonly clientId: string;
}

/** Reads and checks a bids file, without a network. Every problem is in `problems`; bid only where there is none. */
export function readBids(text: string, batch: Batch): { bids: Bid[]; problems: string[] } {
  const [header, ...records] = readCsv(text);
  const names = (header?.cells ?? []).map((name) => name.toLowerCase());
  const missing = columns.filter((column) => !names.includes(column));
  if (missing.length > 0) {
    return {
      bids: [],
      problems: [`line 1: no column ${missing.join(', ')}; a bids file has ${columns.join(', ')}`],
    };
  }
  const problems: string[] = records.length === 0 ? ['there is no row below the header'] : [];
  const bids: Bid[] = [];
  const rows = new Map<string, number>();
  const intents = new Map<string, string>();
  for (const record of records) {
    const found = problemsOf(record, names);
    const { row, lot, buyer, ...fields } = fieldsOf(record, names);
    const amount = twoDecimals(fields.amount);
    const intent = JSON.stringify([lot, buyer, amount]);
    const twin = intents.get(intent);
    if (rows.has(row)) found.push(`row ${row} stands on line ${rows.get(row)} too`);
    else if (found.length === 0 && twin !== undefined) {
      found.push(`says the same as row ${twin}: same lot, same buyer, same amount`);
    }
    rows.set(row, record.line);
    intents.set(intent, row);
    problems.push(...found.map((problem) => `line ${record.line}: ${problem}`));
    bids.push({ row, lot, buyer, amount, key: keyOf(batch, row) });
  }
  return { bids, problems };
}

/**
 * The bids in the order to send them: one chain for each lot, the earliest close first, and in a chain by ascending
 * amount, because on an open lot a higher bid shuts out the lower ones behind it.
 *
 * @param closes When lots close, Unix milliseconds; lots that are missing come last.
 */
export function chainsOf(bids: readonly Bid[], closes: ReadonlyMap<string, number>): Bid[][] {
  const chains = new Map<string, Bid[]>();
  for (const bid of bids) {
    const chain = chains.get(bid.lot);
    if (chain === undefined) chains.set(bid.lot, [bid]);
    else chain.push(bid);
  }
  const closeOf = (lot: string) => closes.get(lot) ?? Number.MAX_SAFE_INTEGER;
  return [...chains]
    .sort(([one], [other]) => closeOf(one) - closeOf(other))
    .map(([, chain]) => chain.sort(byAmount));
}

/** One spelling for each amount; what is none stays as it is. */
export function twoDecimals(amount: string): string {
  return isAmount(amount) ? fromPaise(toPaise(amount)) : amount;
}

/** UUIDv5 of client, batch and row: known before anything is sent, and never in need of being remembered. */
export function keyOf(batch: Batch, row: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(JSON.stringify([batch.clientId, batch.id, row]))
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Any UUID will do, as long as it stays: another one makes other keys, and bids all over again. */
const namespace = '5f0c1a7e-90d3-4b8e-a3c6-2d71e4f8b905';

const columns = ['row', 'lot', 'buyer', 'amount'] as const;

function byAmount(one: Bid, other: Bid): number {
  const difference = toPaise(one.amount) - toPaise(other.amount);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function fieldsOf(record: CsvRecord, names: readonly string[]): Record<(typeof columns)[number], string> {
  const cell = (column: string) => record.cells[names.indexOf(column)] ?? '';
  return { row: cell('row'), lot: cell('lot'), buyer: cell('buyer'), amount: cell('amount') };
}

/** What the service would refuse for certain. What depends on the auction (grid, minimum, close) it judges itself. */
function problemsOf(record: CsvRecord, names: readonly string[]): string[] {
  const { row, lot, buyer, amount } = fieldsOf(record, names);
  const problems: string[] = [];
  if (record.cells.length !== names.length) {
    return [`has ${record.cells.length} cells, the header ${names.length}; cells with commas need quotes`];
  }
  if (!/^[^\p{Cc}]{1,100}$/u.test(row)) problems.push('row must be 1 to 100 characters');
  if (!/^[^\s\p{Cc}%/\\?#]+$/u.test(lot)) problems.push(`lot ${shown(lot)} is no lot id, like lot_4f1c9a`);
  if (!/^[A-Za-z0-9_-]{1,120}$/.test(buyer)) {
    problems.push(`buyer ${shown(buyer)} must be 1 to 120 letters, digits, "_" or "-"`);
  }
  if (!isAmount(amount)) {
    problems.push(`amount ${shown(amount)} must be rupees like 465000 or 465000.50, without separators`);
  }
  return problems;
}

function shown(text: string): string {
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);
}
