import { InvalidRequestError } from '../../errors/local.js';

/** One record of a CSV file. */
export interface CsvRecord {
  /** The line that it begins on, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A cell this long is a quote that was never closed, or no bids file. */
const MAX_CELL_CHARS = 10_000;
const MAX_CELLS = 256;

/** Where a character falls: at the start of a cell, in one without or with quotes, behind a quote in one, behind a CR. */
type State = 'start' | 'plain' | 'quoted' | 'quote' | 'return';

/**
 * Takes CSV text apart as it comes, by RFC 4180: quotes around cells that hold separators, quotes or line breaks, a
 * doubled quote for a quote, lines that end in LF or CRLF. What is neither is refused rather than guessed at, because
 * one cell more or less would make another bid.
 */
export class CsvScanner {
  readonly #separator: string;
  #state: State = 'start';
  #cell = '';
  #cells: string[] = [];
  #line: number;
  #begins: number;
  #quotedFrom = 1;

  /** @param line that the text begins on, from 1 */
  constructor(separator: string, line = 1) {
    this.#separator = separator;
    this.#line = line;
    this.#begins = line;
  }

  /** The line that comes next, from 1. */
  get line(): number {
    return this.#line;
  }

  /** Takes in more text. Returns the records that end in it. @throws InvalidRequestError for what is no CSV */
  push(text: string): CsvRecord[] {
    const records: CsvRecord[] = [];
    for (const character of text) {
      const record = this.#take(character);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** The text is over. Returns the record that its last line holds, where no line break ended it. @throws as push */
  end(): CsvRecord[] {
    if (this.#state === 'return') throw this.#wrong('has a carriage return that no line feed follows');
    if (this.#state === 'quoted') {
      throw this.#wrong(`has a quote that is opened on line ${this.#quotedFrom} and never closed`);
    }
    const isEmpty = this.#state === 'start' && this.#cells.length === 0;
    return isEmpty ? [] : [this.#endRecord()];
  }

  #take(character: string): CsvRecord | undefined {
    if (this.#state === 'quoted') return this.#takeQuoted(character);
    if (this.#state === 'return' && character !== '\n') {
      throw this.#wrong('has a carriage return that no line feed follows');
    }
    if (character === '\n') {
      this.#line += 1;
      return this.#endRecord();
    }
    if (character === '\r') this.#state = 'return';
    else if (character === this.#separator) this.#endCell();
    else this.#takePlain(character);
    return undefined;
  }

  #takePlain(character: string): void {
    if (character === '"') {
      if (this.#state === 'plain') throw this.#wrong('has a quote inside a cell that has none around it');
      if (this.#state === 'quote') this.#add(character);
      else this.#quotedFrom = this.#line;
      this.#state = 'quoted';
      return;
    }
    if (this.#state === 'quote') throw this.#wrong('goes on behind its closing quote');
    this.#add(character);
    this.#state = 'plain';
  }

  #takeQuoted(character: string): undefined {
    if (character === '"') {
      this.#state = 'quote';
      return;
    }
    if (character === '\n') this.#line += 1;
    this.#add(character);
  }

  #add(character: string): void {
    this.#cell += character;
    if (this.#cell.length <= MAX_CELL_CHARS) return;
    const why = this.#state === 'quoted' ? `: is the quote of line ${this.#quotedFrom} never closed?` : '';
    throw this.#wrong(`has more than ${MAX_CELL_CHARS} characters${why}`);
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    if (this.#cells.length > MAX_CELLS)
      throw this.#wrong(`is more than ${MAX_CELLS} cells away from the first`);
    this.#cell = '';
    this.#state = 'start';
  }

  #endRecord(): CsvRecord {
    this.#endCell();
    const record = { line: this.#begins, cells: this.#cells };
    this.#cells = [];
    this.#begins = this.#line;
    return record;
  }

  #wrong(message: string): InvalidRequestError {
    const path = `line ${this.#line}, column ${this.#cells.length + 1}`;
    return new InvalidRequestError([{ path, message }], { call: 'readBidsCsv' });
  }
}
