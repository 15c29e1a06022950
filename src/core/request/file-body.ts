import type { InputIssue } from '../../errors/local.js';
import { type FileContent, fileContentBrand } from '../../ports/file-content.js';
import { nodeModule } from '../../runtime/node-modules.js';
import { startSha256 } from '../../signing/signer.js';

const { createReadStream } = nodeModule('node:fs');
const { stat } = nodeModule('node:fs/promises');
const { fileURLToPath } = nodeModule('node:url');

/** The frozen bytes of a request. Length and digest are of exactly these bytes, and every attempt sends them. */
export interface RequestBody {
  /** Bytes. */
  readonly length: number;
  /** Lowercase hex SHA-256. */
  readonly sha256: string;
  /** The file whose base64 is a part of the body, and the JSON around it. */
  readonly file?: { readonly path: string; readonly before: Uint8Array; readonly after: Uint8Array };
  /**
   * Opens the bytes for one attempt, in memory or by reading the file again. The file is digested again, and if it has
   * changed, reading fails before its last byte and `failed` gets the cause.
   */
  open(failed?: (cause: unknown) => void): Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * The content of the file at `path`, for a body field that takes base64 (`content_base64` of A72). Reading begins
 * with the call.
 */
export function fileContent(path: string | FileUrl): FileContent {
  // A path that can't be used is reported by the call, with the field.
  return { path: isFileUrl(path) ? pathOf(path) : path, [fileContentBrand]: true };
}

/** A `file:` URL, such as `new URL('slip.pdf', import.meta.url)`. */
export interface FileUrl {
  readonly href: string;
  readonly protocol: string;
}

/** A URL object only: text that came as JSON must not name a file of this machine. */
export function isFileUrl(value: unknown): value is FileUrl {
  return value instanceof URL && value.protocol === 'file:';
}

function pathOf({ href }: FileUrl): string {
  try {
    return fileURLToPath(href);
  } catch {
    // For example, one with a host.
    return '';
  }
}

/** Checks the brand, never the form: a body that came as JSON must not name a file of this machine. */
export function isFileContent(value: unknown): value is FileContent {
  return typeof value === 'object' && value !== null && Reflect.get(value, fileContentBrand) === true;
}

/** A frozen body; one with a file in it is digested before the first attempt. */
export type FrozenBody = RequestBody | PendingBody;

/** A body whose file was not read yet. */
export interface PendingBody {
  readonly pending: (signal: AbortSignal) => Promise<RequestBody>;
  /** The field that holds the file. */
  readonly field: string;
}

/** Placeholder for a file while its field is checked and written; it is valid base64. */
const PLACEHOLDER = 'RklMRQ==';

/** A body whose files, if it has any, are replaced by a placeholder. */
export interface TakenFiles {
  readonly body: object;
  readonly file?: { readonly field: string; readonly content: FileContent };
}

/** Takes a file out of a body, for the fields that may hold one. */
export function takeFile(fields: readonly string[], body: object, issues: InputIssue[]): TakenFiles {
  for (const field of fields) {
    const content: unknown = Reflect.get(body, field);
    if (!isFileContent(content)) continue;
    if (typeof content.path !== 'string' || content.path === '') {
      issues.push({ path: field, message: 'must be the content of a file at a path' });
    }
    return { body: { ...body, [field]: PLACEHOLDER }, file: { field, content: { ...content } } };
  }
  return { body };
}

/** Digests a body with its file in the place of the placeholder. */
export async function withFile(
  text: string,
  file: NonNullable<TakenFiles['file']>,
  signal: AbortSignal,
): Promise<RequestBody> {
  // Unescaped quotes stand around names and values only, so this can't be part of another field's text.
  const opening = `${JSON.stringify(file.field)}:"`;
  const at = text.indexOf(`${opening}${PLACEHOLDER}"`) + opening.length;
  const encoder = new TextEncoder();
  const before = encoder.encode(text.slice(0, at));
  const after = encoder.encode(text.slice(at + PLACEHOLDER.length));
  return fileBody(file.content, { before, after }, signal);
}

/** What a request body holds besides the base64 of a file: the JSON before it and after it. */
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
  // A path that isn't a file, such as a pipe, may never end or never begin.
  if (!(await stat(file.path)).isFile()) throw new Error('it is not a regular file');

  const hash = startSha256();
  let length = 0;
  for await (const piece of pieces(file, frame, signal)) {
    hash.update(piece);
    length += piece.length;
  }
  const sha256 = hash.hex();
  if (length === frame.before.length + frame.after.length) throw new Error('the file is empty');
  return {
    length,
    sha256,
    file: { path: file.path, ...frame },
    open: (failed) => readAgain(file, frame, { length, sha256 }, failed),
  };
}

/** Reads the same bytes again. Yields the last ones only once all are known to be the same. */
async function* readAgain(
  file: FileContent,
  frame: FileFrame,
  expected: Pick<RequestBody, 'length' | 'sha256'>,
  failed: (cause: unknown) => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = startSha256();
  let length = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const piece of pieces(file, frame)) {
      hash.update(piece);
      length += piece.length;
      // More than the announced length would reach the wire as the beginning of a next request.
      if (length > expected.length) throw new FileChanged(file.path);
      if (held !== undefined) yield held;
      held = piece;
    }
    if (length !== expected.length || hash.hex() !== expected.sha256) throw new FileChanged(file.path);
  } catch (error) {
    failed(error);
    throw error;
  }
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
