import { createReadStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { ConfigurationError, InvalidRequestError } from '../errors/local.js';
import { thrownMessage } from '../errors/thrown.js';
import { separatorOf } from './format.js';

/** A CSV source: a path, a file URL, bytes, or chunks such as a stream. Pass text in an array. */
export type CsvSource =
  | string
  | URL
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/** One record of a CSV file. */
export interface CsvRecord {
  /** Line of its start, from 1. */
  readonly line: number;
  /** Cells as in the file, including white space. */
  readonly cells: readonly string[];
}

/** How a file is read. */
export interface Reading {
  /** The function that errors name. */
  readonly call: string;
  /** Finds the separator of a text. */
  readonly separator: (text: string) => string;
}

/** Limit of a file, which is read into memory. Also ends an endless stream. */
const MAX_BYTES = 64_000_000;

/** Characters to parse before yielding to the event loop. */
const PIECE = 65_536;

/**
 * Parses CSV strictly by RFC 4180, because a shifted cell would place a different bid.
 *
 * @throws InvalidRequestError for invalid UTF-8 or CSV; ConfigurationError if the source can't be read
 */
export async function recordsOf(
  source: CsvSource,
  { call, separator: separatorIn }: Reading = { call: 'readBids', separator: separatorOf },
): Promise<readonly CsvRecord[]> {
  const whole = await readText(source, call);
  // Spreadsheets write their separator into a first line of its own.
  const [hint = '', separator = ''] = /^"?sep=([^\r\n"])"?(?:\r\n|\r|\n)/i.exec(whole) ?? [];
  const text = whole.slice(hint.length);
  const records: CsvRecord[] = [];
  // Count lines here, because csv-parse counts a quoted CRLF twice.
  let line = hint === '' ? 1 : 2;
  const parser = parse({
    delimiter: separator || separatorIn(text),
    // Old Macintosh files end lines with CR alone. Next to other line ends, a CR is part of a cell, which is refused.
    record_delimiter: text.includes('\n') ? ['\r\n', '\n'] : ['\r'],
    relax_column_count: true,
    on_record: (cells) => {
      records.push({ line, cells });
      line += 1 + breaksIn(cells.join(''));
      return null;
    },
  });
  // The callbacks below handle the error.
  parser.on('error', () => undefined);
  const fed = (work: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve())));
  try {
    for (let at = 0; at < text.length; at += PIECE) {
      await fed((done) => parser.write(text.slice(at, at + PIECE), done));
      await setImmediate();
    }
    await fed((done) => parser.end(done));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const column = typeof error['column'] === 'number' ? error['column'] : 0;
    throw wrongFile([{ path: `line ${line}, column ${column + 1}`, message: csvProblem(error) }], { call });
  }
  return records;
}

function csvProblem(error: CsvError): string {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'begins with a quote that is never closed';
    case 'INVALID_OPENING_QUOTE':
      return 'has a quote inside a cell that does not begin with one';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'has text after its closing quote';
    default:
      return `can't be parsed (${error.message})`;
  }
}

/** Reads a source as text without its byte order mark. */
export async function readText(source: CsvSource, call: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(source, call)) {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) {
      throw unreadable(call, 'yields something other than text or bytes');
    }
    if (typeof piece === 'string' && /\p{Surrogate}/u.test(piece)) throw notUtf8(1, call);
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > MAX_BYTES) {
      throw wrongFile([{ path: 'file', message: `has more than ${MAX_BYTES / 1e6} MB: split it` }], { call });
    }
    pieces.push(bytes);
  }
  const bytes = Buffer.concat(pieces);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const [before = ''] = new TextDecoder().decode(bytes).split('\uFFFD');
    throw notUtf8(1 + breaksIn(before), call);
  }
}

function piecesOf(source: CsvSource, call: string): Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof source === 'string' || source instanceof URL) return bytesAt(source, call);
  if (source instanceof Uint8Array) return [source];
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return source;
  }
  throw unreadable(call, 'is not a path, a URL, bytes or an iterable');
}

async function* bytesAt(path: string | URL, call: string): AsyncGenerator<unknown> {
  try {
    yield* createReadStream(path);
  } catch (cause) {
    const why = thrownMessage(cause);
    throw unreadable(call, `can't be read: ${why}`, cause);
  }
}

function notUtf8(line: number, call: string): InvalidRequestError {
  return wrongFile([{ path: `line ${line}`, message: 'is not UTF-8: save the file as "CSV UTF-8"' }], {
    call,
  });
}

/** The error for a refused file. */
export function wrongFile(
  issues: InvalidRequestError['issues'],
  {
    call,
    nextStep = 'Correct the file, then read it again.',
  }: { readonly call: string; readonly nextStep?: string },
): InvalidRequestError {
  return new InvalidRequestError(issues, { call, nextStep });
}

function unreadable(call: string, problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('source', problem, {
    call,
    nextStep: `Pass the path of a readable file, its bytes or a stream, or text in an array: ${call}([text]).`,
    cause,
  });
}

function breaksIn(text: string): number {
  return text.split('\n').length - 1;
}
