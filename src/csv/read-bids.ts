import type { UnreadableRow } from '../bids/bulk/types.js';
import { ConfigurationError, type InputIssue } from '../errors/local.js';
import { isAmount } from '../money/paise.js';
import {
  type BidColumn,
  bidColumns,
  type Header,
  type NamedColumns,
  plainName,
  readHeader,
  requiredColumns,
  separatorOf,
  unmarked,
} from './format.js';
import { type CsvRecord, type CsvSource, recordsOf, wrongFile } from './parse.js';

/** Options of `readBids`. */
export interface ReadBidsOptions {
  /** Names of columns that are ignored. Any other unknown column refuses the file. */
  readonly ignoreColumns?: readonly string[] | undefined;
  /**
   * Names of columns in this file, such as `{ amount: 'Bid (INR)' }`, in any case. Columns that are left out have their standard
   * names.
   */
  readonly columns?: Readonly<Partial<Record<BidField, string>>> | undefined;
  /** Maximum number of rows. A larger file is refused. Defaults to 100,000. */
  readonly maxRows?: number | undefined;
}

/** A field of a row that a column holds. */
export type BidField = Exclude<keyof CsvRow, 'line'>;

/** A row of a bids file, with trimmed cells. Times are ISO 8601 with a zone. */
export interface CsvRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly rowId: string;
  /** Public lot id. */
  readonly lot: string;
  /** INR decimal string, such as `465000` or `465000.50`. */
  readonly amount: string;
  readonly bidderReference?: string;
  readonly dealerId?: string;
  readonly clientBidTime?: string;
  readonly placeBy?: string;
  readonly closesAt?: string;
}

/** The rows of a bids file. If the source is a path, bytes or an array, each iteration starts from the beginning. A stream can be read once. */
export interface BidsFile extends AsyncIterable<CsvRow | UnreadableRow> {
  /** Tells `placeAll` to read the whole file before the first bid. */
  readonly isFinite: true;
}

/**
 * Reads bids from a CSV file, for `placeAll`.
 *
 * The file is UTF-8 with a header. Columns: `row_id`, `lot_id`, `amount`, and optionally `bidder_reference`,
 * `dealer_id`, `client_bid_time`, `place_by`, `closes_at`. You can also read a results file. An invalid row is
 * yielded as an `UnreadableRow`.
 *
 * @throws ConfigurationError for invalid options, or while reading if the source can't be read
 * @throws InvalidRequestError while reading, with line and column, if the whole file is refused
 */
export function readBids(source: CsvSource, options: ReadBidsOptions = {}): BidsFile {
  const { ignoreColumns = [], maxRows = 100_000 } = options;
  if (!Number.isInteger(maxRows) || maxRows < 1) {
    throw new ConfigurationError('maxRows', 'must be a whole number above 0', {
      call: 'readBids',
      given: maxRows,
    });
  }
  if (!Array.isArray(ignoreColumns) || ignoreColumns.some((name) => typeof name !== 'string')) {
    throw new ConfigurationError('ignoreColumns', 'must be an array of column names', { call: 'readBids' });
  }
  const named = namedColumns(options.columns);
  return {
    isFinite: true,
    [Symbol.asyncIterator]: () => bidRows(source, ignoreColumns, named, maxRows),
  };
}

async function* bidRows(
  source: CsvSource,
  ignored: readonly string[],
  named: NamedColumns,
  maxRows: number,
): AsyncGenerator<CsvRow | UnreadableRow, void, undefined> {
  let header: Header | undefined;
  let rows = 0;
  const separator = (text: string) => separatorOf(text, named);
  for (const { line, cells } of await recordsOf(source, { call: CALL, separator })) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (header === undefined) {
      header = readHeader(cells, line, ignored, named);
      if (header.issues.length > 0) throw wrongFile(header.issues, { call: CALL, nextStep: knownColumns });
      continue;
    }
    rows += 1;
    if (rows > maxRows) {
      const message = `is row ${rows}, and maxRows is ${maxRows}: split the file or raise maxRows`;
      throw wrongFile([{ path: `line ${line}`, message }], { call: CALL });
    }
    yield bidRow({ line, cells: cells.map(unmarked) }, header);
  }
  if (header === undefined) {
    throw wrongFile([{ path: 'line 1', message: 'is empty: the first line must name the columns' }], {
      call: CALL,
    });
  }
  if (rows === 0)
    throw wrongFile([{ path: 'line 1', message: 'is a header without any rows after it' }], { call: CALL });
}

const CALL = 'readBids';

const knownColumns = `Save the file as "CSV UTF-8" with the columns ${bidColumns.join(', ')}, and name those to be ignored in ignoreColumns.`;

type Cells = Partial<Record<BidColumn, string>>;

function bidRow({ line, cells }: CsvRecord, { columns, written }: Header): CsvRow | UnreadableRow {
  const hasMore = cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (cells.length < columns.length || hasMore) {
    const message = `has ${cells.length} cells, and the header has ${columns.length}: write amounts without commas`;
    // Cells may be in the wrong columns, so do not report them by column.
    return { issues: [{ path: 'row', message }], line };
  }
  const found: Cells = {};
  const values: Cells = {};
  columns.forEach((column, index) => {
    const cell = cells[index] ?? '';
    if (column === undefined || cell === '') return;
    found[column] = cell;
    if (cell.trim() !== '') values[column] = cell.trim();
  });
  const { row_id: rowId, lot_id: lot, amount, ...others } = values;
  const issues = issuesOf(values, written);
  if (issues.length > 0 || rowId === undefined || lot === undefined || amount === undefined) {
    return { issues, line, cells: { ...found }, ...(rowId !== undefined && { rowId }) };
  }
  const named = Object.entries(others).map(([column, value]) => [camelCase(column), value]);
  return { line, rowId, lot, amount, ...Object.fromEntries(named) };
}

/** Converts `bidder_reference` to `bidderReference`. */
function camelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Issues of a row, at most one per column. */
function issuesOf(values: Cells, written: Header['written']): InputIssue[] {
  return bidColumns.flatMap((column) => {
    const message = cellProblem(column, values[column]);
    return message === undefined ? [] : [{ path: written.get(column) ?? column, message }];
  });
}

/** @throws ConfigurationError for an unknown field, or a name that is not text or is repeated */
function namedColumns(columns: unknown): NamedColumns {
  const named = new Map<string, BidColumn>();
  if (columns === undefined) return named;
  const refused = (option: string, problem: string) =>
    new ConfigurationError(option, problem, { call: CALL });
  if (typeof columns !== 'object' || columns === null) throw refused('columns', 'must be an object');
  for (const [field, name] of Object.entries(columns)) {
    if (name === undefined) continue;
    const column = columnOf.get(field);
    if (column === undefined)
      throw refused(`columns.${field}`, `is not a field; fields: ${[...columnOf.keys()].join(', ')}`);
    if (typeof name !== 'string' || name.trim() === '')
      throw refused(`columns.${field}`, 'must be the name of a column');
    if (named.has(plainName(name)))
      throw refused(`columns.${field}`, 'names the same column as another field');
    named.set(plainName(name), column);
  }
  return named;
}

const columnOf: ReadonlyMap<string, BidColumn> = new Map([
  ['rowId', 'row_id'],
  ['lot', 'lot_id'],
  ...bidColumns.slice(2).map((column) => [camelCase(column), column] as const),
]);

function cellProblem(column: BidColumn, value: string | undefined): string | undefined {
  if (value === undefined) return requiredColumns.includes(column) ? 'is missing' : undefined;
  if (value.startsWith('#')) return 'is a spreadsheet error: replace it with a value';
  if (/\p{Cc}/u.test(value)) return 'contains a line break or another control character: remove it';
  // Values are never repaired, because a wrong guess would place a different bid.
  return column === 'amount' && !isAmount(value) ? `must be written ${amountShape}` : undefined;
}

const amountShape =
  'like 465000 or 465000.50: above 0, at most 12 digits before the point and two after it, without currency, commas, spaces or leading zeros';
