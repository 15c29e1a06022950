/** What became of a sale or an entry in this run. */
export interface Line {
  readonly what:
    | 'approved'
    | 'offered'
    | 'credited'
    | 'released'
    | 'settled'
    | 'would'
    | 'waiting'
    | 'held'
    | 'left'
    | 'moved on'
    | 'unknown'
    | 'failed';
  /** Sale, or entry of a bank account. */
  readonly about: string;
  readonly why: string;
}

/** Tells what runs do, as they do it, and counts it. */
export class Report {
  readonly #write: (line: string) => void;
  readonly #counts = new Map<Line['what'], number>();
  #isBad = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** True where something is unknown or failed: a person, or the next run, has to look at it. */
  get isBad(): boolean {
    return this.#isBad;
  }

  say(text: string): void {
    this.#write(text);
  }

  tell({ what, about, why }: Line): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    this.#isBad ||= what === 'unknown' || what === 'failed';
    this.#write(`  ${what.padEnd(9)} ${about}  ${why}`);
  }

  /** Ends a run: says how often each came, and counts from nought again. */
  sum(): void {
    const parts = [...this.#counts].map(([what, count]) => `${count} ${what}`);
    this.#write(parts.length === 0 ? 'Nothing to do.' : `In all: ${parts.join(', ')}.`);
    this.#counts.clear();
  }
}
