import type { InputIssue } from '../errors/local.js';

/** Columns of a bids file, in the order in which `writeResults` writes them. */
export const bidColumns = [
  'row_id',
  'lot_id',
  'amount',
  'bidder_reference',
  'dealer_id',
  'client_bid_time',
  'place_by',
  'closes_at',
] as const;

/** Additional columns of a results file. `readBids` ignores them. */
export const resultColumns = [
  'batch_id',
  'status',
  'idempotency_key',
  'bid_id',
  'codes',
  'reason',
  'attempts',
  'what',
  'next_step',
] as const;

export type BidColumn = (typeof bidColumns)[number];
export type ResultColumn = (typeof resultColumns)[number];

export const requiredColumns: readonly BidColumn[] = ['row_id', 'lot_id', 'amount'];

const separators = [',', ';', '\t'];

/**
 * A cell that a spreadsheet may run as a formula: a sign, also in its full-width form, after any number of invisible
 * characters. `csvLine` neutralises it with an apostrophe. A cell that begins with apostrophes before such a formula gets
 * one more, so that removing one always restores the cell.
 */
const formula = /^'*[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u;

/** Writes one record with its line break. No cell in it is a formula to a spreadsheet. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => csvCell(formula.test(cell) ? `'${cell}` : cell)).join(',')}\r\n`;
}

/** Removes the apostrophe that `csvLine` puts before a formula. */
export function unmarked(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}

function csvCell(cell: string): string {
  // Spreadsheets of many countries split at semicolons or tabs.
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Names of columns in a file, in lower case, and the columns that they stand for. */
export type NamedColumns = ReadonlyMap<string, BidColumn>;

/** Finds the separator of a file by its header: spreadsheets of many countries write semicolons. */
export function separatorOf(text: string, named: NamedColumns = new Map()): string {
  const header = text.split(/[\r\n]/).find((line) => line.trim() !== '') ?? '';
  const namesIn = (separator: string) =>
    header.split(separator).filter((cell) => {
      const name = plainName(cell.replaceAll('"', ''));
      return isKnown(name) || named.has(name);
    }).length;
  return separators.reduce((best, other) => (namesIn(other) > namesIn(best) ? other : best));
}

/** Finds the separator of a file whose columns may have any name: the one that its first line has most of. */
export function separatorByCount(text: string): string {
  const header = (text.split('\n').find((line) => line.trim() !== '') ?? '').replace(/"[^"]*"/g, '');
  const countIn = (separator: string) => header.split(separator).length;
  return separators.reduce((best, other) => (countIn(other) > countIn(best) ? other : best));
}

/** A parsed header with its issues. */
export interface Header {
  /** Column names by position; undefined for ignored columns. */
  readonly columns: readonly (BidColumn | undefined)[];
  /** Name of each column as the file has it. */
  readonly written: ReadonlyMap<BidColumn, string>;
  readonly issues: readonly InputIssue[];
}

/**
 * Reads a header. An unknown column is an issue, because it may be a misspelt one whose values must not be
 * dropped.
 *
 * @param ignored names of additional columns to accept
 * @param named columns that have another name in this file
 */
export function readHeader(
  cells: readonly string[],
  line: number,
  ignored: readonly string[],
  named: NamedColumns = new Map(),
): Header {
  const ignoredNames = ignored.map(plainName);
  // Spreadsheets end lines with the separators of columns that were cleared.
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  const standard = new Set<string>(named.values());
  const texts = cells.slice(0, last + 1);
  // If a column has another name in this file, its standard name is an additional column.
  const names = texts.map((cell) => {
    const name = plainName(cell);
    return named.get(name) ?? (standard.has(name) ? `${name} ` : name);
  });
  if (!names.some(isKnown)) {
    const message = `has no known column name: the first line must name ${requiredColumns.join(', ')}`;
    return { columns: [], written: new Map(), issues: [{ path: `line ${line}`, message }] };
  }
  const wrong = names.flatMap((name, index) => {
    const path = `line ${line}, column ${index + 1}`;
    if (ignoredNames.includes(name)) return [];
    if (name === '') return [{ path, message: 'has no name' }];
    if (!isKnown(name)) return [{ path, message: `is named ${shownColumn(texts[index])}, which is unknown` }];
    return names.indexOf(name) < index
      ? [{ path, message: `repeats the column ${shownColumn(texts[index])}` }]
      : [];
  });
  const missing = requiredColumns
    .filter((name) => !names.includes(name) || ignoredNames.includes(name))
    .map((name) => {
      const [given] = [...named].find(([, column]) => column === name) ?? [name];
      return { path: `line ${line}`, message: `column ${shownColumn(given)} is missing` };
    });
  const columns = names.map((name) =>
    ignoredNames.includes(name) ? undefined : bidColumns.find((column) => column === name),
  );
  return {
    columns,
    written: new Map(
      columns.flatMap((column, index) => (column ? [[column, (texts[index] ?? column).trim()]] : [])),
    ),
    issues: [...wrong, ...missing],
  };
}

function isKnown(name: string): boolean {
  return [...bidColumns, ...resultColumns].some((known) => known === name);
}

function shownColumn(name = ''): string {
  return JSON.stringify(name.trim().slice(0, 60));
}

export function plainName(cell: string): string {
  return cell.trim().toLowerCase();
}
