import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { InputIssue } from '../../errors/local.js';
import { type FileContent, fileContentBrand } from '../../ports/file-content.js';
import type { Digests } from '../../signing/signer.js';

/**
 * The bytes of a request, frozen: length and digest are of exactly these, and so is what every attempt sends.
 */
export interface RequestBody {
  /** Bytes. */
  readonly length: number;
  /** Lowercase hex SHA-256. */
  readonly sha256: string;
  /** Where a part of it is the base64 of a file: which one, and the JSON around it. */
  readonly file?: { readonly path: string; readonly before: Uint8Array; readonly after: Uint8Array };
  /**
   * The bytes for one attempt: in memory, or read again from where they lie. What is read again is digested again,
   * and reading fails before its last byte where it is no longer the same: `failed` is then told why.
   */
  open(failed?: (cause: unknown) => void): Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * The content of the file at `path`, for a body field that takes base64 (`content_base64` of A72). Reading begins
 * with the call.
 */
export function fileContent(path: string): FileContent {
  return { path, [fileContentBrand]: true };
}

/** By its brand, never by its form: a body that came as JSON must not name a file of this machine. */
export function isFileContent(value: unknown): value is FileContent {
  return typeof value === 'object' && value !== null && Reflect.get(value, fileContentBrand) === true;
}

/** A frozen body; one with a file in it is digested before the first attempt. */
export type FrozenBody =
  | RequestBody
  | { readonly pending: (signal: AbortSignal) => Promise<RequestBody>; readonly field: string };

/** Stands in for a file while its field is checked and written; it is legal base64. */
const PLACEHOLDER = 'RklMRQ==';

/** A body whose files, if it has any, are replaced by a placeholder. */
interface TakenFiles {
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

/** Serialises a body, once. */
export function freeze(body: object, file: TakenFiles['file'], digests: Digests): FrozenBody {
  const text = JSON.stringify(body);
  if (file !== undefined) return { pending: (signal) => withFile(text, file, signal), field: file.field };
  const bytes = new TextEncoder().encode(text);
  // A copy for each attempt: a transport that writes into its own must not change the next one's.
  return { length: bytes.length, sha256: digests.sha256Hex(bytes), open: () => bytes.slice() };
}

async function withFile(
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
  if (!(await stat(file.path)).isFile()) throw new Error('it is not a regular file');

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
    open: (failed) => readAgain(file, frame, { length, sha256 }, failed),
  };
}

/** The same bytes again; the last ones are given out only once all of them are known to be the same. */
async function* readAgain(
  file: FileContent,
  frame: FileFrame,
  expected: Pick<RequestBody, 'length' | 'sha256'>,
  failed: (cause: unknown) => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
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
    if (length !== expected.length || hash.digest('hex') !== expected.sha256)
      throw new FileChanged(file.path);
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

/**
 * Whether a value can be taken for the fields that it holds: a plain object, or an instance of a class of the
 * caller's with fields of its own. Maps, forms, search parameters, signals and the like keep what they hold to
 * themselves, and would silently be sent as nothing.
 */
export function isFields(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(Object(prototype)) === null;
  return isPlain || Object.keys(value).length > 0;
}

/** What is wrong with a value that is to travel as JSON. */
interface JsonProblem {
  /** Where inside the value: `.items.3`, or nothing for the value itself. */
  readonly path: string;
  readonly message: string;
}

const MAX_DEPTH = 64;

/**
 * Finds what JSON would drop, change or choke on: functions, bigints, dates, class instances, numbers that aren't
 * finite, circles. What is signed must be what the caller gave.
 */
export function jsonProblem(value: unknown, depth = 0): JsonProblem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { path: '', message: 'must be a finite number' };
  }
  if (typeof value !== 'object') return { path: '', message: `must be JSON, which has no ${typeof value}` };
  if (depth === MAX_DEPTH) return { path: '', message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  if (isFileContent(value)) {
    return { path: '', message: 'must be JSON; the content of a file is taken by fields of base64 only' };
  }
  if (!Array.isArray(value) && (!isFields(value) || 'toJSON' in value)) {
    return { path: '', message: 'must be JSON: a plain object, an array, or a simple value' };
  }
  // Holes are no entries, and would be sent as null.
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, inner] of entries) {
    // A property that is undefined is left out of JSON, as everywhere in JavaScript; an array would hold null instead.
    if (inner === undefined && !Array.isArray(value)) continue;
    if (key === '__proto__') return { path: '', message: 'must not have a field named __proto__' };
    const problem = jsonProblem(inner, depth + 1);
    if (problem !== undefined) return { path: `.${key}${problem.path}`, message: problem.message };
  }
  return undefined;
}

/** Names that no extra may take, whatever the operation: they decide what a call does, and how often. */
const reserved = ['_method', 'expected_version', 'idempotency_key'];

/** Checks `extraQuery` or `extraBody` beside the `known` fields; undefined values are left out. */
export function extrasOf(
  option: 'extraQuery' | 'extraBody',
  given: unknown,
  known: readonly string[],
  issues: InputIssue[],
): Record<string, unknown> {
  const extras: Record<string, unknown> = {};
  if (given === undefined) return extras;
  if (!isFields(given)) {
    issues.push({ path: `options.${option}`, message: 'must be a plain object' });
    return extras;
  }
  const problemOf = option === 'extraBody' ? jsonProblem : scalarProblem;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const problem = nameProblem(name, known) ?? problemOf(value);
    if (problem === undefined) extras[name] = value;
    else issues.push({ path: `options.${option}.${name}${problem.path}`, message: problem.message });
  }
  return extras;
}

function nameProblem(name: string, known: readonly string[]): JsonProblem | undefined {
  if (name === '' || name === '__proto__') return { path: '', message: 'must have a name' };
  if (reserved.includes(name))
    return { path: '', message: 'is never an extra: it decides what the call does' };
  if (!known.includes(name)) return undefined;
  return { path: '', message: 'is a known field; give it among the others' };
}

function scalarProblem(value: unknown): JsonProblem | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  return { path: '', message: 'must be a string, a number or a boolean' };
}
