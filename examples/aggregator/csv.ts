/** One record of a CSV file. */
export interface CsvRecord {
  /** The line of the file that it begins on, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads comma-separated text: quotes around cells that hold commas or line breaks, a doubled quote for a quote, LF or
 * CRLF, with or without a byte order mark. Blank lines are left out, white space around a cell too.
 *
 * @throws Error where a quote is opened and never closed.
 */
export function readCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let begins = 1;
  const endCell = () => {
    cells.push(cell.trim());
    cell = '';
  };
  const endRecord = () => {
    endCell();
    if (cells.some((each) => each !== '')) records.push({ line: begins, cells });
    cells = [];
    begins = line;
  };
  const characters = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters.charAt(at);
    if (character === '\n') line += 1;
    if (quoted && character === '"' && characters.charAt(at + 1) === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (quoted || cell.trim() === '')) quoted = !quoted;
    else if (character === ',' && !quoted) endCell();
    else if (character === '\n' && !quoted) endRecord();
    else cell += character;
  }
  if (quoted) throw new Error(`line ${begins}: a quote is opened here and never closed`);
  endRecord();
  return records;
}

/** One line of CSV, with its line break. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
}
