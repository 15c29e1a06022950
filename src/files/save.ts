import type { FileHandle } from 'node:fs/promises';
import { webStreamChunks } from '../core/transport/transport.js';
import { ApiError } from '../errors/api.js';
import { TimeoutError, UnexpectedResponseError } from '../errors/connection.js';
import { onDisk } from '../errors/file.js';
import { InvalidRequestError } from '../errors/local.js';
import { isError } from '../errors/thrown.js';
import type { BinaryReply } from '../ports/caller.js';
import { fromBase64, toHex } from '../runtime/bytes.js';
import { nodeModule } from '../runtime/node-modules.js';
import { Changes, LinkedSignal, onceAborted } from '../runtime/timers.js';
import { sha256Hex, startSha256 } from '../signing/signer.js';

const { open, readdir, rename, rm } = nodeModule('node:fs/promises');
const { hostname } = nodeModule('node:os');
const { dirname, join } = nodeModule('node:path');

/** A completely saved file. */
export interface SavedFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of its bytes, lower-case hex. */
  readonly sha256: string;
  /** Stored MIME type, such as `image/jpeg`; absent if the service sent none. */
  readonly contentType?: string;
}

/** Expected size and digest of a file, if known. */
export interface ExpectedFile {
  readonly bytes?: number | undefined;
  /** SHA-256 in hex or base64. Other spellings are not compared. */
  readonly digest?: string | undefined;
}

/**
 * Saves a download under a path. A temporary file in the same folder is renamed once it is complete.
 *
 * @throws UnexpectedResponseError if size or digest differ from the announced ones. Then no file is left
 * @throws FileError if the file can't be written
 */
export async function saveTo(
  reply: BinaryReply,
  path: string,
  call: string,
  expected: ExpectedFile = {},
): Promise<SavedFile> {
  const part = partIn(dirname(path));
  const hash = startSha256();
  let bytes = 0;
  const write = <T>(work: () => Promise<T>) =>
    onDisk(path, { call, operation: call, outcome: 'unknown' }, work);
  let file: FileHandle | undefined;
  try {
    const opened = await write(() => open(part, 'wx'));
    file = opened;
    for await (const chunk of webStreamChunks(reply.stream.getReader())) {
      hash.update(chunk);
      bytes += chunk.length;
      await write(() => opened.writeFile(chunk));
    }
    await write(() => opened.sync());
    await write(() => opened.close());
    const sha256 = hash.hex();
    const announced = { ...expected, bytes: expected.bytes ?? reply.contentLength };
    const problem = mismatchOf(bytes, sha256, announced);
    if (problem !== undefined) throw notWhole(call, problem);
    await write(() => rename(part, path));
    const { contentType } = reply;
    return { path, bytes, sha256, ...(contentType !== undefined && { contentType }) };
  } catch (error) {
    // The first error is the one to report. A second close() of a closed file does nothing.
    await file?.close().catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    await reply.stream.cancel().catch(() => undefined);
    throw error;
  }
}

/** @throws InvalidRequestError for a path that is not text */
export function checkPath(path: unknown, name: 'path' | 'folder', call: string): void {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return;
  const message = `must be a path as text; for a URL pass fileURLToPath(url) of node:url`;
  throw new InvalidRequestError([{ path: name, message }], { call, operation: call });
}

/** A path for an incomplete file. `removeAbandonedParts` removes it if this process is killed. */
export function partIn(folder: string): string {
  const random = crypto.randomUUID().replaceAll('-', '').slice(-16);
  return join(folder, `.${hostTag()}-${process.pid}-${processToken()}-${random}.part`);
}

/** Distinguishes processes that reuse an id, such as the first process of each container. */
let ownToken: string | undefined;

/** Created on first use, because loading the random numbers would slow down every import. */
function processToken(): string {
  ownToken ??= crypto.randomUUID().slice(-12);
  return ownToken;
}

function hostTag(): string {
  return sha256Hex(hostname()).slice(0, 8);
}

/** Removes partial files of killed processes of this host from a folder. */
export async function removeAbandonedParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, host, pid, token] = /^\.([0-9a-f]{8})-(\d+)-([0-9a-f]{12})-[0-9a-f]{16}\.part$/.exec(name) ?? [];
    if (host !== hostTag() || token === processToken()) continue;
    if (Number(pid) === process.pid || !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists and belongs to another user.
    return Object(error).code === 'EPERM';
  }
}

/** Why a file of these bytes is not the expected one; undefined if it is. */
export function problemIn(bytes: Uint8Array, expected: ExpectedFile): string | undefined {
  return mismatchOf(bytes.length, sha256Hex(bytes), expected);
}

function mismatchOf(bytes: number, sha256: string, expected: ExpectedFile): string | undefined {
  if (expected.bytes !== undefined && expected.bytes !== bytes) {
    return `has ${bytes} bytes, and ${expected.bytes} were announced`;
  }
  const announced = digestOf(expected.digest);
  if (announced === undefined || announced === sha256) return undefined;
  return 'has another SHA-256 than its metadata';
}

/** A SHA-256 as lowercase hex. The spelling of a digest is undocumented (unknowns: `document-digest-encoding`). */
export function digestOf(text: string | undefined): string | undefined {
  const [, value = ''] = /^(?:sha-?256[:=-])?(.*)$/i.exec(text ?? '') ?? [];
  if (/^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  return /^[A-Za-z0-9+/]{43}=$/.test(value) ? toHex(fromBase64(value)) : undefined;
}

/** The error of a download that was cut off or changed. */
export function notWhole(call: string, problem: string): UnexpectedResponseError {
  return new UnexpectedResponseError({
    call,
    operation: call,
    outcome: 'unknown',
    reason: 'contradiction',
    status: 200,
    what: `The download ${problem}. It was discarded.`,
    nextStep: 'Download it again; if it fails again, report it to the bank.',
  });
}

/** Headers that prevent any stored file from acting on your site. */
function servedHeaders(
  { contentType, contentDisposition, contentLength }: BinaryReply,
  cacheControl: string,
): Record<string, string> {
  const isPlain = (text: string | undefined): text is string =>
    text !== undefined && /^[\x20-\x7e]+$/.test(text);
  return {
    'content-type': isPlain(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': isPlain(contentDisposition) ? contentDisposition : 'attachment',
    ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
    'cache-control': cacheControl,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** The status to answer a browser with when a download fails. */
function responseStatus(error: unknown): number {
  if (error instanceof ApiError && error.status === 404) return 404;
  if (error instanceof ApiError && error.status === 429) return 503;
  return error instanceof TimeoutError ? 504 : 502;
}

/** A file to serve, and how a browser may cache it. */
export interface ServedFile {
  readonly reply: BinaryReply;
  readonly cacheControl: string;
}

/** Answers a Fetch request with a download. Errors of the service become replies. */
export async function asResponse(download: () => Promise<ServedFile>): Promise<Response> {
  try {
    const { reply, cacheControl } = await download();
    return new Response(reply.stream, { headers: servedHeaders(reply, cacheControl) });
  } catch (error) {
    if (!isOfService(error)) throw error;
    return new Response(null, { status: responseStatus(error), headers: { 'cache-control': 'no-store' } });
  }
}

/** The Node response of `media.serve`, such as a `ServerResponse` of `node:http`. */
export interface StreamedResponse {
  readonly headersSent: boolean;
  on(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
}

/** Answers a Node request with a download, and aborts it if the browser disconnects. */
export async function answerWith(
  response: StreamedResponse,
  callers: AbortSignal | undefined,
  download: (signal: AbortSignal) => Promise<ServedFile>,
): Promise<void> {
  const ended = new LinkedSignal(callers);
  const { signal } = ended;
  const changes = new Changes();
  let isGone = false;
  let isFull = false;
  const close = () => {
    isGone = true;
    ended.fire();
  };
  const drain = () => {
    isFull = false;
    changes.notify();
  };
  const unfollow = onceAborted(signal, () => changes.notify());
  // One listener for all chunks: one for each would be left behind by every pause.
  response.on('close', close);
  response.on('drain', drain);
  try {
    const { reply, cacheControl } = await download(signal);
    response.writeHead(200, servedHeaders(reply, cacheControl));
    for await (const chunk of webStreamChunks(reply.stream.getReader())) {
      if (isGone) return;
      isFull = !response.write(chunk);
      await changes.until(() => !isFull || signal.aborted);
    }
    response.end();
  } catch (error) {
    if (isGone) return;
    // Destroy the connection, so that a partial photo does not look complete.
    if (response.headersSent) response.destroy();
    else if (!isOfService(error)) throw error;
    else {
      response.writeHead(responseStatus(error), { 'cache-control': 'no-store' });
      response.end();
    }
  } finally {
    unfollow();
    ended.release();
    response.off('close', close);
    response.off('drain', drain);
  }
}

/** A URL that is refused, or a client that is closed, is a mistake of the program. */
function isOfService(error: unknown): boolean {
  return isError(error) && !('outcome' in error && error.outcome === 'not_sent' && 'issues' in error);
}
