import { type InputIssue, InvalidRequestError } from '../../errors/local.js';

/** What a row of a bids file says of its bid. */
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

/** What a result file says beside that. */
export const resultColumns = [
  'batch_id',
  'status',
  'idempotency_key',
  'bid_id',
  'codes',
  'attempts',
  'what',
  'next_step',
  'bid_check',
] as const;

const columnOfField: Readonly<Record<string, BidColumn>> = {
  rowId: 'row_id',
  lot: 'lot_id',
  bidderReference: 'bidder_reference',
  dealerId: 'dealer_id',
  clientBidTime: 'client_bid_time',
  placeBy: 'place_by',
  closesAt: 'closes_at',
};

/** The column that a field of a bid comes from. */
export function columnOf(field: string): string {
  return columnOfField[field] ?? field;
}

export type BidColumn = (typeof bidColumns)[number];
export type ResultColumn = (typeof resultColumns)[number];

const required: readonly BidColumn[] = ['row_id', 'lot_id', 'amount'];

/** Where each column of a file stands. */
export interface Columns {
  /** Names by position; undefined for those that are ignored. */
  readonly names: readonly (BidColumn | ResultColumn | undefined)[];
  readonly hasResults: boolean;
}

/**
 * Reads the header of a bids file, or of a result file.
 *
 * @param ignored names of further columns that may be there
 * @throws InvalidRequestError for a column that is unknown, missing or there twice: a misspelt one must not be dropped.
 */
export function columnsOf(cells: readonly string[], line: number, ignored: readonly string[]): Columns {
  const header = trimmedHeader(cells).map(plainName);
  const ignoredNames = ignored.map(plainName);
  const isUnknown = (name: string) => nameOf(name) === undefined && !ignoredNames.includes(name);
  if (header.every(isUnknown))
    throw new InvalidRequestError([noHeader(header, line)], { call: 'readBidsCsv' });
  const firstUnknown = header.findIndex((name) => name !== '' && isUnknown(name));
  const wrong = header.flatMap((name, index) => {
    const path = `line ${line}, column ${index + 1}`;
    if (ignoredNames.includes(name)) return [];
    if (name === '') return [{ path, message: 'has no name' }];
    if (isUnknown(name)) {
      const message = `is named ${shown(name)}`;
      return [{ path, message: index === firstUnknown ? `${message}; ${known}` : message }];
    }
    return header.indexOf(name) < index ? [{ path, message: `is ${name} again` }] : [];
  });
  const missing = required.filter((name) => !header.includes(name));
  const results = resultColumns.filter((name) => header.includes(name));
  const lost = results.length === 0 ? [] : resultColumns.filter((name) => !results.includes(name));
  const issues = [
    ...wrong,
    ...[...missing, ...lost].map((name) => ({ path: `line ${line}`, message: `has no column ${name}` })),
  ];
  if (issues.length > 0) throw new InvalidRequestError(issues, { call: 'readBidsCsv' });
  return {
    names: header.map(nameOf),
    hasResults: results.length > 0,
  };
}

const known = `known are ${bidColumns.join(', ')} (ignoreColumns lets others be)`;

/** Bids without a header, or a header of somebody else's. */
function noHeader(cells: readonly string[], line: number): InputIssue {
  const found = [...cells.slice(0, 3).map(shown), ...(cells.length > 3 ? ['…'] : [])].join(', ');
  const further = bidColumns.filter((name) => !required.includes(name));
  const message = `holds no column name that is known (${found}): it must name ${required.join(',')}, and where they are needed ${further.join(',')}`;
  return { path: `line ${line}`, message };
}

function shown(cell: string): string {
  return JSON.stringify(cell.slice(0, 60));
}

const separators = [',', ';', '\t'] as const;

/** What separates the cells of a file, by its header: spreadsheets of many countries write semicolons. */
export function separatorOf(header: string): string {
  const namesIn = (separator: string) =>
    header.split(separator).filter((cell) => nameOf(plainName(cell.replaceAll('"', ''))) !== undefined)
      .length;
  const most = Math.max(...separators.map(namesIn));
  return separators.find((separator) => namesIn(separator) === most) ?? ',';
}

function nameOf(header: string): BidColumn | ResultColumn | undefined {
  return [...bidColumns, ...resultColumns].find((name) => name === header);
}

function plainName(cell: string): string {
  return cell.trim().toLowerCase();
}

/** Spreadsheets end lines with the separators of columns that were cleared. */
function trimmedHeader(cells: readonly string[]): readonly string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells.slice(0, last + 1);
}
