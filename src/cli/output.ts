import type { Terminal } from './terminal.js';

/** Prints items: as JSON lines for scripts, as a table on a terminal, else with tabs between the columns. */
export class Output {
  readonly #terminal: Terminal;
  readonly #isJson: boolean;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.#isJson = isJson;
  }

  /** Prints a list with these columns. JSON has every field, one line for each item as it comes. */
  async list(items: AsyncIterable<object> | Iterable<object>, columns: readonly string[]): Promise<number> {
    const rows: string[][] = [];
    let count = 0;
    for await (const item of items) {
      count += 1;
      if (this.#isJson) this.json(item);
      else rows.push(columns.map((column) => cell(valueAtPath(item, column))));
    }
    if (this.#isJson) return count;
    if (this.#terminal.isTerminal !== true) {
      for (const row of rows) this.#terminal.out(`${row.join('\t')}\n`);
    } else if (rows.length === 0) this.#terminal.err('None.\n');
    else await this.#table(columns, rows);
    return count;
  }

  /** Prints one item: a line for each field that is not empty. */
  item(item: object): void {
    if (this.#isJson) {
      this.json(item);
      return;
    }
    const entries = Object.entries(item).flatMap(([name, value]) => {
      const text = cell(value);
      return text === '' ? [] : [{ name, text }];
    });
    const width = Math.max(...entries.map(({ name }) => name.length));
    for (const { name, text } of entries) this.#terminal.out(`${name.padEnd(width)}  ${text}\n`);
  }

  json(value: unknown): void {
    this.#terminal.out(`${JSON.stringify(value, jsonValue)}\n`);
  }

  /** Prints a message for a person, on standard error. */
  say(text: string): void {
    this.#terminal.err(`${text}\n`);
  }

  async #table(columns: readonly string[], rows: readonly string[][]): Promise<void> {
    const { default: Table } = await import('cli-table3');
    const table = new Table({ head: [...columns], style: { head: [], border: [] } });
    table.push(...rows);
    this.#terminal.out(`${table.toString()}\n`);
  }
}

/** Counts as text, such as `3 accepted, 1 rejected`; zeros are left out. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([status, count]) => `${count} ${status}`).join(', ');
}

function valueAtPath(item: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], item);
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  if (isCounts(value))
    return Object.entries(value)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  if (typeof value === 'object') return JSON.stringify(value, jsonValue);
  return String(value).replace(/[\t\r\n]+/g, ' ');
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => typeof each === 'number')
  );
}

function jsonValue(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
