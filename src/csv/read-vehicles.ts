import { ConfigurationError, type InputIssue } from '../errors/local.js';
import type { UnreadableVehicle, VehicleFile, VehicleFileRow } from '../inventory/types.js';
import { separatorByCount, unmarked } from './format.js';
import { type CsvSource, readText, recordsOf, wrongFile } from './parse.js';

/** Options of `readVehicles`. */
export interface ReadVehiclesOptions {
  /** Defaults to `jsonl` for a path or URL that ends in `.jsonl` or `.ndjson`, otherwise to `csv`. */
  readonly format?: 'csv' | 'jsonl' | undefined;
  /** Maximum number of rows. A larger file is refused. Defaults to 100,000. */
  readonly maxRows?: number | undefined;
}

type Row = VehicleFileRow | UnreadableVehicle;

const CALL = 'readVehicles';

/**
 * Reads vehicles from a file, for `inventory.import`.
 *
 * A CSV file is UTF-8 with a header of any names, separated by commas, semicolons or tabs. A file of JSON lines has an object of
 * values by column on each line. A row that can't be read is yielded as an `UnreadableVehicle`.
 *
 * @throws ConfigurationError for invalid options, or while reading if the source can't be read
 * @throws InvalidRequestError while reading, with its line, if the whole file is refused
 */
export function readVehicles(source: CsvSource, options: ReadVehiclesOptions = {}): VehicleFile {
  const { format = formatOf(source), maxRows = 100_000 } = options;
  if (format !== 'csv' && format !== 'jsonl') {
    throw new ConfigurationError('format', 'must be "csv" or "jsonl"', { call: CALL, given: format });
  }
  if (!Number.isInteger(maxRows) || maxRows < 1) {
    throw new ConfigurationError('maxRows', 'must be a whole number above 0', { call: CALL, given: maxRows });
  }
  const rows = () => (format === 'csv' ? csvRows(source) : jsonRows(source));
  return {
    isVehicleFile: true,
    async *[Symbol.asyncIterator]() {
      let count = 0;
      for await (const row of rows()) {
        count += 1;
        if (count > maxRows) {
          const message = `is row ${count}, and maxRows is ${maxRows}: split the file or raise maxRows`;
          throw wrongFile([{ path: `line ${row.line}`, message }], { call: CALL });
        }
        yield row;
      }
      if (count === 0)
        throw wrongFile([{ path: 'line 1', message: 'is empty: there are no rows' }], { call: CALL });
    },
  };
}

function formatOf(source: CsvSource): 'csv' | 'jsonl' {
  const path = typeof source === 'string' || source instanceof URL ? String(source) : '';
  return /\.(?:jsonl|ndjson)$/i.test(path) ? 'jsonl' : 'csv';
}

async function* jsonRows(source: CsvSource): AsyncGenerator<Row, void, undefined> {
  const lines = (await readText(source, CALL)).split('\n');
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const line = index + 1;
    const values = objectIn(text);
    if (values === undefined) yield { line, issues: [{ path: 'row', message: 'is not a JSON object' }] };
    else yield { line, values };
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

async function* csvRows(source: CsvSource): AsyncGenerator<Row, void, undefined> {
  let columns: readonly string[] | undefined;
  for (const { line, cells } of await recordsOf(source, { call: CALL, separator: separatorByCount })) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (columns === undefined) {
      columns = columnsIn(cells.map(unmarked), line);
      continue;
    }
    const hasMore = cells.slice(columns.length).some((cell) => cell.trim() !== '');
    if (cells.length < columns.length || hasMore) {
      const message = `has ${cells.length} cells, and the header has ${columns.length}`;
      yield { line, issues: [{ path: 'row', message }] };
      continue;
    }
    const values = columns.map((column, index) => [column, unmarked(cells[index] ?? '').trim()] as const);
    yield { line, values: Object.fromEntries(values) };
  }
}

/** The names of a header, as written. @throws InvalidRequestError for names that are empty or repeated */
function columnsIn(cells: readonly string[], line: number): readonly string[] {
  // Spreadsheets end lines with the separators of columns that were cleared.
  const names = cells
    .slice(0, 1 + cells.findLastIndex((cell) => cell.trim() !== ''))
    .map((cell) => cell.trim());
  const issues = names.flatMap((name, index): InputIssue[] => {
    const path = `line ${line}, column ${index + 1}`;
    if (name === '') return [{ path, message: 'has no name' }];
    return names.indexOf(name) < index
      ? [{ path, message: `repeats the column ${JSON.stringify(name)}` }]
      : [];
  });
  if (issues.length > 0) throw wrongFile(issues, { call: CALL });
  return names;
}
