import { createReadStream } from 'node:fs';
import { InvalidRequestError } from '../../errors/local.js';

/** Where a file comes from: its path, its bytes, or pieces of it as they come, bytes or text. */
export type CsvSource =
  | string
  | URL
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/**
 * The text of a file, piece by piece, without its byte order mark.
 *
 * @throws InvalidRequestError for what can't be read, or isn't UTF-8, naming the line
 */
export async function* textOf(source: CsvSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let isFirst = true;
  for await (const piece of piecesOf(source)) {
    if (isFirst && typeof piece !== 'string') refuseOtherFormats(piece);
    const text = typeof piece === 'string' ? piece : decoded(decoder, piece, line);
    const plain: string = isFirst ? text.replace(/^\uFEFF/, '') : text;
    const [beforeNul = '', ...nul] = plain.split('\0', 2);
    line += breaksIn(beforeNul);
    if (nul.length > 0) throw wrong(line, 'holds a NUL character: it is UTF-16, or no text at all');
    isFirst &&= plain === '';
    yield plain;
  }
  const rest = decoded(decoder, undefined, line);
  if (rest !== '') yield rest;
}

function piecesOf(source: CsvSource): Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> {
  if (typeof source === 'string' || source instanceof URL) return fileAt(source);
  return source instanceof Uint8Array ? [source] : source;
}

async function* fileAt(path: string | URL): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    const message = `must be a file that can be read (${reason})`;
    throw new InvalidRequestError([{ path: 'source', message }], { call: 'readBidsCsv' });
  }
}

type Decoder = InstanceType<typeof TextDecoder>;

/** Bytes of a character may come in two pieces; the decoder keeps the first of them. */
function decoded(decoder: Decoder, piece: Uint8Array | undefined, line: number): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    const [before = ''] = new TextDecoder().decode(piece ?? new Uint8Array()).split('\uFFFD');
    throw wrong(line + breaksIn(before), 'is not UTF-8: save the file as "CSV UTF-8"');
  }
}

function breaksIn(text: string): number {
  return text.split('\n').length - 1;
}

function refuseOtherFormats([one, other]: Uint8Array): void {
  if (one === 0x50 && other === 0x4b) throw wrong(1, 'begins a workbook: save it as "CSV UTF-8"');
  if (one === 0xd0 && other === 0xcf) throw wrong(1, 'begins an old workbook: save it as "CSV UTF-8"');
  if ((one === 0xff && other === 0xfe) || (one === 0xfe && other === 0xff)) {
    throw wrong(1, 'begins UTF-16 text: save the file as "CSV UTF-8"');
  }
}

function wrong(line: number, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: `line ${line}`, message }], { call: 'readBidsCsv' });
}
