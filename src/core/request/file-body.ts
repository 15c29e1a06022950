import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FileContent } from '../../ports/file-content.js';
import type { RequestBody } from './body.js';

/** What a request body holds besides the base64 of a file: the JSON before it and behind it. */
interface FileFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** The file changed after it was digested; reading ended before the last byte of the request. */
class FileChanged extends Error {
  constructor(path: string) {
    super(`${path} changed while it was being sent`);
  }
}

/** A JSON body with a file in it: digested now, and read again for every attempt. */
export async function fileBody(
  file: FileContent,
  frame: FileFrame,
  signal: AbortSignal,
): Promise<RequestBody> {
  signal.throwIfAborted();
  // What isn't a file may never end, or never begin.
  if (!(await stat(file.path)).isFile()) throw new Error('it is no regular file');

  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of pieces(file, frame, signal)) {
    hash.update(piece);
    length += piece.length;
  }
  const sha256 = hash.digest('hex');
  if (length === frame.before.length + frame.after.length) throw new Error('the file is empty');
  return {
    length,
    sha256,
    file: { path: file.path, ...frame },
    open: (failed) => again(checked(file, frame, { length, sha256 }), failed),
  };
}

async function* again(
  bytes: AsyncIterable<Uint8Array>,
  failed: (cause: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    failed(error);
    throw error;
  }
}

/** The same bytes again; whatever is held back is given out only once all of them are known to be the same. */
async function* checked(
  file: FileContent,
  frame: FileFrame,
  expected: { readonly length: number; readonly sha256: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  let length = 0;
  let held: Uint8Array | undefined;
  for await (const piece of pieces(file, frame)) {
    hash.update(piece);
    length += piece.length;
    // More than the announced length would reach the wire as the beginning of a next request.
    if (length > expected.length) throw new FileChanged(file.path);
    if (held !== undefined) yield held;
    held = piece;
  }
  if (length !== expected.length || hash.digest('hex') !== expected.sha256) throw new FileChanged(file.path);
  if (held !== undefined) yield held;
}

/** A multiple of 3, so that base64 of the chunks is base64 of the file. */
const CHUNK_BYTES = 48 * 1024;

async function* pieces(
  file: FileContent,
  { before, after }: FileFrame,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield before;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file.path, {
    highWaterMark: CHUNK_BYTES,
    ...(signal !== undefined && { signal }),
  })) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
  yield after;
}
