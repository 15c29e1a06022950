import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Tells a story in chapters, and fails it when something that must hold doesn't. */
export class Narrator {
  readonly #write: (line: string) => void;
  readonly #colour: boolean;
  #chapter = 0;

  constructor(write: (line: string) => void, colour: boolean) {
    this.#write = write;
    this.#colour = colour;
  }

  title(text: string, subtitle: string): void {
    this.#write('');
    this.#write(`  ${this.#paint('bold', text)}`);
    this.#write(`  ${this.#paint('dim', subtitle)}`);
  }

  chapter(title: string, code: string): void {
    this.#chapter += 1;
    this.#write('');
    this.#write(`  ${this.#paint('bold', `${this.#chapter}. ${title}`)}`);
    this.#write(`     ${this.#paint('cyan', code)}`);
  }

  say(text: string): void {
    this.#write(`     ${text}`);
  }

  aside(text: string): void {
    this.#write(`     ${this.#paint('dim', text)}`);
  }

  rows(rows: readonly (readonly string[])[]): void {
    const widths = (rows[0] ?? []).map((_, column) =>
      Math.max(...rows.map((row) => (row[column] ?? '').length)),
    );
    for (const row of rows)
      this.say(
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}`,
      );
  }

  /** Something that must hold. @throws Error where it doesn't: the demo ends with a non-zero exit code. */
  check(holds: boolean, claim: string): void {
    if (!holds) throw new Error(`This should hold, and doesn't: ${claim}`);
    this.#write(`     ${this.#paint('green', '✓')} ${claim}`);
  }

  wire(direction: '→' | '←' | '✂', text: string): void {
    const style: Style = direction === '✂' ? 'red' : 'yellow';
    this.#write(`     ${this.#paint(style, direction)} ${this.#paint('dim', text)}`);
  }

  #paint(style: Style, text: string): string {
    return this.#colour ? styleText(style, text, { validateStream: false }) : text;
  }
}
