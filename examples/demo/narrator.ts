import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Prints a story in chapters and throws if an expectation fails. */
export class Narrator {
  readonly #write: (line: string) => void;
  readonly #colour: boolean;
  #chapter = 0;

  constructor(write: (line: string) => void, colour: boolean) {
    this.#write = write;
    this.#colour = colour;
  }

  title(text: string, subtitle: string): void {
    this.#write(`\n  ${this.#paint('bold', text)}\n  ${this.#paint('dim', subtitle)}`);
  }

  chapter(title: string, code: string): void {
    this.#chapter += 1;
    this.#write(
      `\n  ${this.#paint('bold', `${this.#chapter}. ${title}`)}\n     ${this.#paint('cyan', code)}`,
    );
  }

  say(text: string): void {
    this.#write(`     ${text}`);
  }

  /** A log line of the sandbox: number, time, method, path and reply. */
  wire(line: string): void {
    const [, , ...request] = line.split(' ');
    this.#write(`     ${this.#paint('yellow', '→')} ${this.#paint('dim', request.join(' '))}`);
  }

  /** @throws Error where it does not hold: the demo ends with a non-zero exit code */
  check(holds: boolean, claim: string): void {
    if (!holds) throw new Error(`This should hold, and does not: ${claim}`);
    this.#write(`     ${this.#paint('green', '✓')} ${claim}`);
  }

  #paint(style: Style, text: string): string {
    return this.#colour ? styleText(style, text, { validateStream: false }) : text;
  }
}
