import { readFile } from 'node:fs/promises';

/** A file that isn't the table it should be. The message names file and line. */
export class TableError extends Error {
  override readonly name = 'TableError';
}

/**
 * Reads a table: a first line with exactly these column names, in any order, then one row a line. Cells are separated
 * by commas, filled, and never quoted. Returns the cells of each row in the order of `columns`.
 *
 * @throws TableError for anything else: a table that decides on money is not guessed at.
 */
export async function readTable(path: string, columns: readonly string[]): Promise<string[][]> {
  const [head = '', ...lines] = (await textOf(path)).split('\n');
  const names = cellsOf(head);
  const places = columns.map((column) => names.indexOf(column));
  if (names.length !== columns.length || places.includes(-1)) {
    throw new TableError(`${path}: its first line must name these columns: ${columns.join(',')}`);
  }
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const cells = cellsOf(line);
    if (line.includes('"') || cells.length !== columns.length || cells.includes('')) {
      throw new TableError(`${path}:${index + 2}: must have ${columns.length} cells, filled and not quoted`);
    }
    return [places.map((place) => cells[place] ?? '')];
  });
}

/** Trimmed, which takes a byte order mark and the other half of a Windows line end away too. */
function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim());
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new TableError(`Could not read ${path}: ${cause instanceof Error ? cause.message : 'failed'}`, {
      cause,
    });
  }
}
