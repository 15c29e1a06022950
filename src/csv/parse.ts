import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { ConfigurationError, InvalidRequestError } from '../errors/local.js';
import { separatorOf } from './format.js';

/** Where CSV comes from: a path, a URL of a file, its bytes, or pieces of it, such as a stream. Text goes in an array. */
export type CsvSource =
  | string
  | URL
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/** One record of a CSV file. */
export interface CsvRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** As they are in the file, white space included. */
  readonly cells: readonly string[];
}

/** Characters of one record at most. It stops an endless stream and ends the search for a quote that is never closed. */
const MAX_RECORD_SIZE = 1_000_000;

/**
 * Parses CSV by RFC 4180, strictly: a cell more or less would make another bid.
 *
 * @throws InvalidRequestError for what is not UTF-8 or not CSV, after the records before it; ConfigurationError where the
 * source can't be read
 */
export async function* recordsOf(source: CsvSource): AsyncGenerator<CsvRecord, void, undefined> {
  let parser: RecordParser | undefined;
  for await (const text of withWholeHeader(textOf(source))) {
    parser ??= new RecordParser(separatorOf(text));
    yield* parser.push(text);
  }
  if (parser !== undefined) yield* parser.end();
}

/** Feeds the parser, which is a stream, and counts lines: its own count takes a quoted CRLF for two. */
class RecordParser {
  readonly #parser;
  readonly #records: CsvRecord[] = [];
  #line = 1;

  constructor(separator: string) {
    this.#parser = parse({
      delimiter: separator,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      max_record_size: MAX_RECORD_SIZE,
      on_record: (cells) => {
        this.#records.push({ line: this.#line, cells });
        this.#line += 1 + breaksIn(cells.join(''));
        return null;
      },
    });
    // The callback of each step gets the error, too.
    this.#parser.on('error', () => undefined);
  }

  push(text: string): AsyncGenerator<CsvRecord> {
    return this.#step((done) => this.#parser.write(text, done));
  }

  end(): AsyncGenerator<CsvRecord> {
    return this.#step((done) => this.#parser.end(done));
  }

  /** The records before an error are given out first. */
  async *#step(work: (done: (error?: Error | null) => void) => void): AsyncGenerator<CsvRecord> {
    const error = await new Promise<Error | null | undefined>((resolve) => work(resolve));
    yield* this.#records.splice(0);
    if (!error) return;
    const column = error instanceof CsvError && typeof error['column'] === 'number' ? error['column'] : 0;
    throw wrong(`line ${this.#line}, column ${column + 1}`, problemOf(error));
  }
}

function problemOf(error: Error): string {
  switch (error instanceof CsvError ? error.code : undefined) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'begins with a quote that is never closed';
    case 'INVALID_OPENING_QUOTE':
      return 'has a quote inside a cell that does not begin with one';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'has text after its closing quote';
    case 'CSV_MAX_RECORD_SIZE':
      return `is in a row of more than ${MAX_RECORD_SIZE} characters; look for a quote that is never closed`;
    default:
      return `can't be parsed (${error.message})`;
  }
}

const MAX_HEADER_SIZE = 20_000;

/** Holds text back until the first line that has any is whole, because the header decides the separator. */
async function* withWholeHeader(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let header: string | undefined = '';
  for await (const text of pieces) {
    if (header === undefined) {
      yield text;
      continue;
    }
    header += text;
    if (!header.trimStart().includes('\n') && header.length < MAX_HEADER_SIZE) continue;
    yield header;
    header = undefined;
  }
  if (header !== undefined) yield header;
}

/** The text of a source, piece by piece, without its byte order mark. */
async function* textOf(source: CsvSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decoded = (piece: Uint8Array, isLast: boolean) => {
    try {
      return decoder.decode(piece, { stream: !isLast });
    } catch {
      const [before = ''] = new TextDecoder().decode(piece).split('\uFFFD');
      throw notUtf8(line + breaksIn(before));
    }
  };
  for await (const piece of piecesOf(source)) {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) {
      throw unreadable('yields something other than text or bytes');
    }
    if (piece.length === 0) continue;
    if (typeof piece === 'string' && /\p{Surrogate}/u.test(piece)) throw notUtf8(line);
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    const text = decoded(bytes, false);
    line += breaksIn(text);
    yield text;
  }
  decoded(new Uint8Array(), true);
}

function piecesOf(source: CsvSource): Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof source === 'string' || source instanceof URL) return bytesAt(source);
  if (source instanceof Uint8Array) return [source];
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return source;
  }
  throw unreadable('is not a path, a URL, bytes or an iterable');
}

async function* bytesAt(path: string | URL): AsyncGenerator<unknown> {
  try {
    yield* createReadStream(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unreadable(`can't be read: ${why}`, cause);
  }
}

function notUtf8(line: number): InvalidRequestError {
  return wrong(`line ${line}`, 'is not UTF-8: save the file as "CSV UTF-8"');
}

function wrong(path: string, message: string): InvalidRequestError {
  return wrongFile([{ path, message }]);
}

/** The error for a file that is refused as a whole. */
export function wrongFile(
  issues: InvalidRequestError['issues'],
  nextStep = 'Correct the file, then read it again.',
): InvalidRequestError {
  return new InvalidRequestError(issues, { call: 'readBids', nextStep });
}

function unreadable(problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('source', problem, {
    call: 'readBids',
    nextStep:
      'Pass the path of a readable file, its bytes or a stream, or text in an array: readBids([text]).',
    cause,
  });
}

function breaksIn(text: string): number {
  return text.split('\n').length - 1;
}
