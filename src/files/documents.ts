import type { Pace } from '../following/pace.js';
import { byState, type WaitOptions, wait } from '../following/wait.js';
import { idOf, type RecordOrId } from '../following/waiters.js';
import type { DocumentRecord } from '../generated/documents.js';
import { Documents as DocumentCalls } from '../generated/documents.js';
import type { BinaryReply, Caller, CallOptions, MutationOptions } from '../ports/caller.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { type CachePorts, MOST_BYTES, openCached } from './cached-download.js';
import type { MediaCache } from './media-cache.js';
import { downloadOptions } from './photos.js';
import { checkPath, digestOf, problemIn, type SavedFile, saveTo } from './save.js';
import { type DocumentToUpload, withContent } from './upload.js';

/** Options of `documents.upload`. */
export interface UploadOptions extends MutationOptions {
  /** Waits until the scan is over: `true`, or limits of the wait. */
  readonly waitUntilReady?: boolean | WaitOptions | undefined;
}

/** Options of `documents.download` and `documents.save`. */
export interface DocumentOptions extends CallOptions {
  /**
   * Fetches the file of each document once: `memoryCache(…)` or `diskCache(…)`. The metadata (A73) is read every time, and the
   * cache answers only if the service has just allowed that and reports the document as `ready` with the same digest.
   */
  readonly cache?: MediaCache | undefined;
}

const documentOptions: KnownOptions<DocumentOptions> = { ...downloadOptions, cache: true };

/** Evidence documents: upload, wait for the scan, download, save. */
export class Documents extends DocumentCalls {
  readonly #pace: Pace;
  readonly #ports: CachePorts;

  /** @internal */
  constructor(call: Caller, pace: Pace, ports: CachePorts) {
    super(call);
    this.#pace = pace;
    this.#ports = ports;
  }

  /**
   * Uploads an evidence document of a sale. You can use it as evidence once its scan has found it clean.
   *
   * Pass the file as `content`: `fileContent(path)`, a `file:` URL, bytes, a Blob or File, a web or Node stream. Files over
   * four megabytes are never completely in memory. The record is returned as `awaiting_scan`, or as `ready` with
   * `waitUntilReady`.
   *
   * API: A72, A73; scopes `documents:write`, `documents:read`.
   * @param body What to send: sale, purpose, file name (a `File` has one itself), and the content.
   * @throws InvalidRequestError for content that can't be read. Nothing was sent.
   * @throws FileError if a large stream can't be written to a temporary file. Nothing was sent.
   * @throws WaitError if it was uploaded but did not become ready; its `value` is the document.
   */
  override async upload(body: DocumentToUpload, options: UploadOptions = {}): Promise<DocumentRecord> {
    const { waitUntilReady = false, ...others }: UploadOptions = Object(options);
    // Objects without own fields, such as an AbortController, are passed on unchanged, to be refused.
    const limits = Object.hasOwn(Object(options), 'waitUntilReady') ? others : options;
    const { signal } = others;
    const document = await withContent(body, { signal, clock: this.#pace.clock }, (whole) =>
      super.upload(whole, limits),
    );
    if (waitUntilReady === false) return document;
    return this.waitUntilReady(document, { signal, ...(waitUntilReady === true ? {} : waitUntilReady) });
  }

  /**
   * Waits until a document is scanned and `ready`. Any state other than `ready` and `awaiting_scan` ends the wait, because it
   * is undocumented.
   *
   * API: A73, scope `documents:read`.
   * @throws WaitError with `reason` `deadline` or `unknown_state`.
   */
  waitUntilReady(document: RecordOrId, options?: WaitOptions): Promise<DocumentRecord> {
    const read = (limits: CallOptions) => this.get(idOf(document), limits);
    const judge = byState({ reached: ['ready'], before: ['awaiting_scan'] });
    return wait(this.#pace, { call: 'documents.waitUntilReady', read, judge }, options);
  }

  /**
   * Streams a document once it is `ready`. With a `cache`, its metadata is read first, which checks your access.
   *
   * API: A73, scope `documents:read`.
   * @param document Id or record of the document.
   * @param options A `cache`; signal, timeout, deadline, attempts and lane of these calls.
   * @throws UnexpectedResponseError if a file for the cache differs from its metadata in size or digest.
   */
  override async download(document: RecordOrId, options: DocumentOptions = {}): Promise<BinaryReply> {
    checkMethodOptions('documents.download', options, documentOptions);
    const { cache, ...limits } = options;
    // Plain JavaScript may pass anything; the call refuses what is no id.
    const id: string = typeof document === 'string' ? document : Object(document).id;
    if (cache === undefined) return super.download(id, limits);
    return this.#open('documents.download', await this.get(id, limits), cache, limits);
  }

  /**
   * Saves a document, and compares its size and SHA-256 with its metadata. A temporary file is renamed once it is complete.
   *
   * API: A73, scope `documents:read`.
   * @param path Target file, which is replaced. Choose the name yourself: `filename` was chosen by the uploader.
   * @param options A `cache`; signal, timeout, deadline, attempts and lane of these calls.
   * @throws UnexpectedResponseError if size or digest differ. Then no file is left.
   * @throws FileError if the file can't be written.
   */
  async save(document: RecordOrId, path: string, options: DocumentOptions = {}): Promise<SavedFile> {
    checkPath(path, 'path', 'documents.save');
    checkMethodOptions('documents.save', options, documentOptions);
    const { cache, ...limits } = options;
    const record = await this.get(idOf(document), limits);
    const reply = await this.#open('documents.save', record, cache, limits);
    const { bytes, digest } = record.data ?? {};
    return saveTo(reply, path, 'documents.save', { bytes, digest });
  }

  /** Opens a document whose metadata the service has just given. */
  async #open(
    call: string,
    { id, state, data: { bytes, digest } = {} }: DocumentRecord,
    cache: MediaCache | undefined,
    limits: CallOptions,
  ): Promise<BinaryReply> {
    const download = (signal: AbortSignal | undefined) => super.download(id, { ...limits, signal });
    // Without a digest that can be compared, a cached file may be another one.
    const isComparable = state === 'ready' && digestOf(digest) !== undefined && (bytes ?? 0) <= MOST_BYTES;
    if (cache === undefined || digest === undefined || !isComparable) return download(limits.signal);
    const { reply } = await openCached(this.#ports, {
      call,
      cache,
      name: ['document', id, digest],
      signal: limits.signal,
      download,
      mayKeep: () => true,
      problemOf: (file) => problemIn(file, { bytes, digest }),
    });
    return reply;
  }
}
