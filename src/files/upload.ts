import { type FileUrl, fileContent, isFileContent, isFileUrl } from '../core/request/file-body.js';
import { VehicleAuctionError } from '../errors/base.js';
import { FileError, onDisk } from '../errors/file.js';
import { CallbackTimeoutError, InvalidRequestError } from '../errors/local.js';
import { firstWords } from '../errors/text.js';
import { thrownMessage } from '../errors/thrown.js';
import type { DocumentsUploadBody } from '../generated/documents.js';
import type { Clock } from '../ports/clock.js';
import type { FileContent } from '../ports/file-content.js';
import { concatBytes, isArrayBuffer, toBase64 } from '../runtime/bytes.js';
import { nodeModule } from '../runtime/node-modules.js';
import { systemClock } from '../runtime/timers.js';
import { ask } from '../runtime/user-code.js';

const { mkdtemp, open, readdir, rm, stat } = nodeModule('node:fs/promises');
const { tmpdir } = nodeModule('node:os');
const { basename, dirname, join } = nodeModule('node:path');

/** A web stream of bytes: of the runtime, of `lib.dom`, or of `node:stream/web`. */
export interface StreamSource {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** A `Blob` or `File`. */
export interface BlobSource {
  readonly size: number;
  readonly type: string;
  /** Name of a `File`. */
  readonly name?: string;
  stream(): unknown;
}

/** A `Response` or `Request`, whose body is read. */
export interface ReplySource {
  readonly body: StreamSource | null;
}

/**
 * The content of a document: a file by `fileContent(path)` or its URL, bytes in any form, a Blob or File, a web or Node
 * stream, a list of chunks, or a `Response`.
 */
export type UploadSource =
  | FileContent
  | FileUrl
  | ArrayBufferLike
  | ArrayBufferView
  | BlobSource
  | StreamSource
  | ReplySource
  | Iterable<Uint8Array>
  | AsyncIterable<Uint8Array>;

export type { FileUrl } from '../core/request/file-body.js';

/** A document to upload: its content as `content`, or as base64. */
export type DocumentToUpload =
  | DocumentsUploadBody
  | (Omit<DocumentsUploadBody, 'content_base64' | 'filename'> & {
      /** The bytes. The request is recorded, so `recover({ resend: true })` does not need the stream again. */
      readonly content: UploadSource;
      /** Defaults to the name of the `File`. */
      readonly filename?: string | undefined;
    });

/** Larger content is copied to a temporary file, because a retry needs the same bytes. */
const MOST_IN_MEMORY = 4 * 1024 * 1024;

/** Timeout of a stream for its next chunk, ms. */
const PIECE_MS = 60_000;

/** Retention of the temporary file of an upload in doubt, ms: nothing is resent after that. */
const KEPT_MS = 7 * 86_400_000;

/** Temporary files are `vehicle-auction-upload-XXXXXX/content` in the temporary folder of the system. */
const [PREFIX, FILE] = ['vehicle-auction-upload-', 'content'];

/**
 * Runs an upload with its content in the form that the call needs. A temporary file is kept while the upload may be resent;
 * `removeUploadFile` removes it once the upload is settled.
 */
export async function withContent<T>(
  body: DocumentToUpload,
  { signal, clock }: Reading,
  upload: (body: DocumentsUploadBody) => Promise<T>,
): Promise<T> {
  if (!isWithContent(body)) return upload(body);
  const { content, filename = filenameOf(content), ...rest } = body;
  const send = (content_base64: string | FileContent) =>
    // Without a name, the check of the body reports it.
    upload({ ...rest, filename: filename ?? '', content_base64 });
  if (isFileContent(content)) return send(content);
  if (isFileUrl(content)) return send(fileContent(content));
  const spool = new Spool();
  let isInDoubt = false;
  try {
    return await send(await spool.fill(content, { signal, clock }));
  } catch (error) {
    isInDoubt = error instanceof VehicleAuctionError && error.outcome === 'unknown';
    throw error;
  } finally {
    if (!isInDoubt) await spool.remove();
  }
}

function isWithContent(body: DocumentToUpload): body is Exclude<DocumentToUpload, DocumentsUploadBody> {
  return typeof body === 'object' && body !== null && 'content' in body;
}

function filenameOf(content: UploadSource): string | undefined {
  const name: unknown = Object(content).name;
  return typeof name === 'string' ? name : undefined;
}

/** Clock and signal to read a stream with. */
interface Reading {
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Reads the next chunk. @throws CallbackTimeoutError if the stream hangs */
function nextOf<T>(chunks: AsyncGenerator<T>, { signal, clock }: Reading): Promise<IteratorResult<T>> {
  const details = { ...CALL, outcome: 'not_sent' } as const;
  return ask(() => chunks.next(), { name: 'body.content', clock, limit: PIECE_MS, signal, details });
}

/** Removes a file if it is the temporary file of an upload; files of the user stay. */
export async function removeUploadFile(path: string | undefined): Promise<void> {
  if (path === undefined || basename(path) !== FILE) return;
  const folder = dirname(path);
  if (basename(folder).startsWith(PREFIX)) await rm(folder, { recursive: true, force: true });
}

/** Removes old temporary files: of killed processes, and of uploads in doubt that were never recovered. */
async function removeOldFiles(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const folder = join(tmpdir(), name);
    // The file belongs to another user, or was removed meanwhile.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    // The file system uses the machine's time, not an injected clock.
    if (mtimeMs > systemClock.now() - KEPT_MS) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Bytes that were read once: in memory, or in a temporary file. */
class Spool {
  #folder: string | undefined;

  async fill(source: ByteSource, reading: Reading): Promise<string | FileContent> {
    const held: Uint8Array[] = [];
    let size = 0;
    const chunks = sourceChunks(source);
    try {
      for (;;) {
        const { done, value } = await nextOf(chunks, reading);
        if (done === true) return toBase64(concatBytes(held));
        held.push(value);
        size += value.length;
        if (size > MOST_IN_MEMORY) return fileContent(await this.#write(held, chunks, reading));
      }
    } catch (cause) {
      // The call that follows reports it.
      if (reading.signal?.aborted === true) return '';
      if (cause instanceof CallbackTimeoutError || cause instanceof FileError) throw cause;
      const message = `can't be read: ${firstWords(thrownMessage(cause))}`;
      throw new InvalidRequestError([{ path: 'body.content', message }], CALL);
    } finally {
      // Not awaited, because a hanging stream would not end.
      void chunks.return(undefined).catch(() => undefined);
    }
  }

  async #write(
    held: readonly Uint8Array[],
    chunks: AsyncGenerator<Uint8Array>,
    reading: Reading,
  ): Promise<string> {
    const write = <T>(work: () => Promise<T>) => onDisk(tmpdir(), { ...CALL, outcome: 'not_sent' }, work);
    const path = await write(async () => {
      await removeOldFiles();
      this.#folder = await mkdtemp(join(tmpdir(), PREFIX));
      return join(this.#folder, FILE);
    });
    const file = await write(() => open(path, 'wx', 0o600));
    try {
      for (const chunk of held) await write(() => file.writeFile(chunk));
      for (;;) {
        const { done, value } = await nextOf(chunks, reading);
        if (done === true) break;
        await write(() => file.writeFile(value));
      }
      await write(() => file.close());
      return path;
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  async remove(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

const CALL = { call: 'documents.upload', operation: 'A72' };

type ByteSource = Exclude<UploadSource, FileContent | FileUrl>;

async function* sourceChunks(source: ByteSource): AsyncGenerator<Uint8Array> {
  const bytes = bytesIn(source);
  if (bytes !== undefined) {
    yield bytes;
    return;
  }
  const chunks = streamIn(source);
  if (!isIterable(chunks)) {
    throw new Error(
      'it must be fileContent(path), a file: URL, bytes, a Blob, a Response, a web stream or a Node stream; text goes into ' +
        'content_base64 as base64',
    );
  }
  for await (const chunk of chunks) {
    const piece = bytesIn(chunk);
    if (piece === undefined) throw new Error('its chunks are not bytes');
    yield piece;
  }
}

/** The bytes of a buffer or view, of any realm. */
function bytesIn(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

/** The chunks of a Blob, a Response or a stream; any other value as it is. */
function streamIn(source: unknown): unknown {
  if (typeof source !== 'object' || source === null) return undefined;
  const { stream, body }: { readonly stream?: unknown; readonly body?: unknown } = source;
  const inner = typeof stream === 'function' ? Reflect.apply(stream, source, []) : (body ?? source);
  return isWebStream(inner) ? streamChunks(inner) : inner;
}

function isWebStream(stream: unknown): stream is StreamSource {
  return typeof stream === 'object' && stream !== null && 'getReader' in stream;
}

/** Web streams are not iterable in every runtime. */
async function* streamChunks(stream: StreamSource): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}

function isIterable(source: unknown): source is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof source !== 'object' || source === null) return false;
  return Symbol.asyncIterator in source || Symbol.iterator in source;
}
