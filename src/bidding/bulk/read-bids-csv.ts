import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { isAmount } from '../../money/amount.js';
import { amountDamage, isSpreadsheetError, plainCell } from './csv-cells.js';
import {
  type BidColumn,
  bidColumns,
  type Columns,
  columnsOf,
  type ResultColumn,
  separatorOf,
} from './csv-columns.js';
import { type CsvRecord, CsvScanner } from './csv-scanner.js';
import { type CsvSource, textOf } from './csv-text.js';
import type { EarlierResult, UnreadableRow } from './row.js';

export interface ReadBidsCsvOptions {
  /** Names of columns that may be there and say nothing about the bids. Any other unknown column is refused. */
  readonly ignoreColumns?: readonly string[] | undefined;
  /** Rows at the most; 100,000 when left out. */
  readonly maxRows?: number | undefined;
}

/** A row of a bids file, as it stands there. */
export interface CsvRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly rowId: string;
  /** Public lot id. */
  readonly lot: string;
  readonly amount: string;
  readonly bidderReference?: string;
  readonly dealerId?: string;
  readonly clientBidTime?: string;
  readonly placeBy?: string;
  readonly closesAt?: string;
  /** What a result file says about it. */
  readonly earlierResult?: EarlierResult;
}

/** A bids file, or a result file: rows for `placeAll`, which reads it to its end before the first bid. */
export class BidsCsv implements AsyncIterable<CsvRow | UnreadableRow> {
  readonly isFinite = true;
  readonly #source: CsvSource;
  readonly #options: ReadBidsCsvOptions;

  /** @internal */
  constructor(source: CsvSource, options: ReadBidsCsvOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * Its rows; a row with something wrong in it comes as an `UnreadableRow`.
   *
   * @throws InvalidRequestError, naming line and column, where the file as a whole can't be trusted.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<CsvRow | UnreadableRow, void, undefined> {
    const { ignoreColumns = [], maxRows = 100_000 } = this.#options;
    let columns: Columns | undefined;
    let rows = 0;
    for await (const record of recordsOf(this.#source)) {
      if (record.cells.every((cell) => cell.trim() === '')) continue;
      if (columns === undefined) {
        columns = columnsOf(record.cells, record.line, ignoreColumns);
        continue;
      }
      rows += 1;
      if (rows > maxRows) throw wrong(record.line, `is one row more than the ${maxRows} that maxRows allows`);
      yield rowOf(record, columns);
    }
    if (columns === undefined) throw wrong(1, 'is empty: a bids file begins with the names of its columns');
    if (rows === 0) throw wrong(1, 'is all there is: no row stands below the header');
  }
}

/**
 * Reads bids from CSV: UTF-8, with a header; columns `row_id`, `lot_id`, `amount`, and where they are needed
 * `bidder_reference`, `dealer_id`, `client_bid_time`, `place_by`, `closes_at`. A result file is read as well.
 *
 * @param source path or URL of a file, its bytes, or a stream; text goes in an array: `[text]`.
 */
export function readBidsCsv(source: CsvSource, options: ReadBidsCsvOptions = {}): BidsCsv {
  return new BidsCsv(source, options);
}

const MAX_HEADER_CHARS = 20_000;

async function* recordsOf(source: CsvSource): AsyncGenerator<CsvRecord> {
  let scanner: CsvScanner | undefined;
  let head = '';
  for await (const text of textOf(source)) {
    if (scanner !== undefined) {
      yield* scanner.push(text);
      continue;
    }
    head += text;
    if (!head.trimStart().includes('\n') && head.length < MAX_HEADER_CHARS) continue;
    scanner = new CsvScanner(separatorOf(firstLineOf(head)));
    yield* scanner.push(head);
  }
  if (scanner === undefined) {
    scanner = new CsvScanner(separatorOf(firstLineOf(head)));
    yield* scanner.push(head);
  }
  yield* scanner.end();
}

/** The first line with anything on it. */
function firstLineOf(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}

function rowOf(record: CsvRecord, columns: Columns): CsvRow | UnreadableRow {
  const { line } = record;
  const { names } = columns;
  const extra = record.cells.slice(names.length).some((cell) => cell.trim() !== '');
  if (record.cells.length < names.length || extra) {
    const message = `has ${record.cells.length} cells where the header has ${names.length}; a cell with the separator in it, such as 4,65,000, needs quotes`;
    // Its cells may stand under other names than their own, so they are not shown as those.
    return { issues: [{ path: 'row', message }], line };
  }
  const cells = cellsOf(record, columns);
  const rowId = cells.row_id ?? '';
  const issues = issuesOf(cells);
  if (issues.length > 0) return { issues, line, cells: { ...cells }, ...(rowId !== '' && { rowId }) };
  return {
    line,
    rowId,
    lot: cells.lot_id ?? '',
    amount: cells.amount ?? '',
    ...filled('bidderReference', cells.bidder_reference),
    ...filled('dealerId', cells.dealer_id),
    ...filled('clientBidTime', cells.client_bid_time),
    ...filled('placeBy', cells.place_by),
    ...filled('closesAt', cells.closes_at),
    ...(columns.hasResults && cells.status !== undefined && { earlierResult: earlierOf(cells) }),
  };
}

type Cells = Partial<Record<BidColumn | ResultColumn, string>>;

/** What is filled in, by column. */
function cellsOf({ cells }: CsvRecord, { names }: Columns): Cells {
  const found: Cells = {};
  names.forEach((name, index) => {
    const cell = plainCell(cells[index] ?? '');
    if (name !== undefined && cell !== '') found[name] = cell;
  });
  return found;
}

function issuesOf(cells: Cells): InputIssue[] {
  const damaged = bidColumns.filter((name) => isSpreadsheetError(cells[name] ?? ''));
  const issues = damaged.map((path) => ({ path, message: 'is an error of a spreadsheet, not a value' }));
  for (const path of ['row_id', 'lot_id'] as const) {
    if (cells[path] === undefined) issues.push({ path, message: 'is missing' });
  }
  const { amount = '' } = cells;
  if (!isAmount(amount) && !damaged.includes('amount')) {
    issues.push({ path: 'amount', message: amountDamage(amount) });
  }
  return issues;
}

function earlierOf(cells: Cells): EarlierResult {
  return {
    batchId: cells.batch_id ?? '',
    status: cells.status ?? '',
    idempotencyKey: cells.idempotency_key ?? '',
    bidId: cells.bid_id ?? '',
    codes: cells.codes?.split(/\s+/) ?? [],
    attempts: Number(cells.attempts ?? 0) || 0,
    what: cells.what ?? '',
    nextStep: cells.next_step ?? '',
    bidCheck: cells.bid_check ?? '',
  };
}

function filled<K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> {
  const field: Partial<Record<K, string>> = {};
  if (value !== undefined) field[name] = value;
  return field;
}

function wrong(line: number, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: `line ${line}`, message }], { call: 'readBidsCsv' });
}
