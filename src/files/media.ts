import { rawCall } from '../core/request/raw.js';
import { InvalidRequestError } from '../errors/local.js';
import type { BinaryReply, Caller, CallOptions } from '../ports/caller.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import {
  type CachedCallOptions,
  cachedOptions,
  downloadOptions,
  type OwnPhotoPorts,
  openFile,
  type PhotoPorts,
} from './photos.js';
import {
  type LotsWithPhotos,
  type PrefetchOptions,
  type PrefetchSummary,
  prefetch,
  prefetchOptions,
} from './prefetch.js';
import {
  answerWith,
  asResponse,
  checkPath,
  type SavedFile,
  type ServedFile,
  type StreamedResponse,
  saveTo,
} from './save.js';
import {
  type FilesToSave,
  type SaveAllOptions,
  type SavedMedia,
  saveAll,
  saveAllOptions,
} from './save-all.js';
import { filePathOf, type ServiceAddress } from './service-url.js';

/** Options of `media.serve`. */
export interface ServeOptions extends CachedCallOptions {
  /**
   * `Cache-Control` for the browser if the file is a photo, such as `private, max-age=86400`; defaults to `private, no-store`.
   * Documents always have the default, because the service checks access on every download.
   */
  readonly cacheControl?: string | undefined;
}

const serveOptions: KnownOptions<ServeOptions> = { ...cachedOptions, cacheControl: true };

const NOT_STORED = 'private, no-store';

/** Photos and documents by the URLs in replies. */
export class Media {
  readonly #call: Caller;
  readonly #address: ServiceAddress;
  readonly #ports: PhotoPorts;

  /** @internal */
  constructor(call: Caller, address: ServiceAddress, own: OwnPhotoPorts) {
    this.#call = call;
    this.#address = address;
    this.#ports = {
      ...own,
      download: (url, options) => this.download(url, options),
      pathOf: (url) => filePathOf(url, this.#address).path,
    };
  }

  /**
   * Streams the file of a URL in a reply: an entry of `images` or `documents` of a lot, or the `download_url` of a document.
   * Sends a signed GET on exactly its path.
   *
   * The request goes to the configured origin, whatever root the URL has. URLs that can't be that of a file are refused before
   * anything is sent, and redirects are not followed. Pass URLs of replies only, never one that a browser sent: the documents of other parties
   * have URLs of the service, too.
   *
   * API: "Catalogue and events", rules.
   * @param url The absolute URL of a reply.
   * @param options Signal, timeout, deadline and attempts of this call.
   * @throws InvalidRequestError for a URL that isn't that of a file of the service.
   */
  async download(url: string, options?: CallOptions): Promise<BinaryReply> {
    checkMethodOptions('media.download', options, downloadOptions);
    const { path, query } = filePathOf(url, this.#address);
    const { route, input } = rawCall({ method: 'GET', path, query }, 'binary', 'media.download');
    return this.#call<BinaryReply>(route, input, options);
  }

  /**
   * Saves the file of a URL in a reply. It writes a temporary file and renames it once complete, so `path` is never partial.
   *
   * @param url The absolute URL of a reply.
   * @param path Target file, which is replaced. Choose the name yourself; never take it from a reply.
   * @param options As for `download`, and a `cache`; the `deadline` covers the whole file.
   * @throws UnexpectedResponseError if the size differs from the announced one. Then no file is left.
   * @throws FileError if the file can't be written.
   */
  async save(url: string, path: string, options: CachedCallOptions = {}): Promise<SavedFile> {
    checkPath(path, 'path', 'media.save');
    checkMethodOptions('media.save', options, cachedOptions);
    const { reply } = await openFile(this.#ports, url, options);
    return saveTo(reply, path, 'media.save');
  }

  /**
   * Saves many files into a folder, a few at a time, each completely or not at all.
   *
   * Names consist of the lot and media ids in the URL, such as `lot_1-7.jpg`. Existing files are not read again, so the same
   * call continues after a crash. Partial files of killed processes are removed. It reads in the `poll` lane, so bids,
   * commands and other reads go first.
   *
   * @param urls Absolute URLs of replies.
   * @param folder Target folder; created if it does not exist.
   * @param options `concurrency` (4), `onProgress`, `nameOf`, and limits of each download.
   * @returns a result for each URL, in order; one that can't be named or fetched has its error in its result.
   * @throws errors that affect every file, such as AuthenticationError, or FileError for a full disk.
   */
  async saveAll(
    urls: FilesToSave,
    folder: string,
    options: SaveAllOptions = {},
  ): Promise<readonly SavedMedia[]> {
    checkPath(folder, 'folder', 'media.saveAll');
    checkMethodOptions('media.saveAll', options, saveAllOptions);
    const { pathOf, warn } = this.#ports;
    const save = (url: string, path: (reply: BinaryReply) => string, limits: CachedCallOptions) =>
      openFile(this.#ports, url, limits).then(({ reply }) => saveTo(reply, path(reply), 'media.saveAll'));
    return saveAll({ save, pathOf, warn }, urls, folder, options);
  }

  /**
   * Fills a cache with the photos of lots, most visible first: the first photo of each lot, then the second ones, and so on.
   *
   * It reads in the `poll` lane, a few at a time, and only while a third of what polls may use is free: bids, reads and watches
   * go first. Photos in the cache are not fetched again, so call it whenever the lots change.
   *
   * @param lots Lots with their `images`, in the order of your page.
   * @param options `cache`, `perLot`, `concurrency` (4), `onProgress`, and limits of each download.
   * @throws InvalidRequestError for lots that are not a list.
   * @throws errors that affect every photo, such as AuthenticationError.
   */
  async prefetch(lots: LotsWithPhotos, options: PrefetchOptions): Promise<PrefetchSummary> {
    checkMethodOptions('media.prefetch', options, prefetchOptions);
    const open = (url: string, limits: CachedCallOptions) => openFile(this.#ports, url, limits);
    return prefetch({ ...this.#ports, open }, lots, options);
  }

  /**
   * Serves a photo or document to a browser, which can't sign. Streams it with headers that keep it private and inert.
   *
   * Writes to a Node response if you pass one, otherwise returns a Fetch `Response`. Failures are answered with 404, 502, 503
   * or 504. If the browser disconnects, the download ends, unless others wait for it or a cache is about to keep it.
   *
   * @param url The absolute URL of a reply; never one that a browser sent.
   * @param options A `cache`, which fetches each photo once; `cacheControl` for the browser; limits of the download.
   * @throws InvalidRequestError for a URL that is not one of a file of the service. Nothing is sent or answered then.
   */
  serve(url: string, response: StreamedResponse, options?: ServeOptions): Promise<void>;
  serve(url: string, response?: undefined, options?: ServeOptions): Promise<Response>;
  async serve(url: string, response?: StreamedResponse, options: ServeOptions = {}): Promise<unknown> {
    checkMethodOptions('media.serve', options, serveOptions);
    const { cacheControl = NOT_STORED, ...limits } = options;
    if (!/^[\x20-\x7e]+$/.test(cacheControl)) {
      const message = 'must be the value of a header, such as "private, max-age=86400"';
      const issues = [{ path: 'options.cacheControl', message }];
      throw new InvalidRequestError(issues, { call: 'media.serve', operation: 'media.serve' });
    }
    const open = async (signal: AbortSignal | undefined): Promise<ServedFile> => {
      const { reply, isPhoto } = await openFile(this.#ports, url, { ...limits, signal });
      return { reply, cacheControl: isPhoto ? cacheControl : NOT_STORED };
    };
    if (response === undefined) return asResponse(() => open(limits.signal));
    return answerWith(response, limits.signal, open);
  }
}
