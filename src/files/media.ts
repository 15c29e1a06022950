import { rawCall } from '../core/request/raw.js';
import type { BinaryReply, Caller, CallOptions } from '../ports/caller.js';
import type { WarnAbout } from '../runtime/user-code.js';
import { answerWith, asResponse, type SavedFile, type StreamedResponse, saveTo } from './save.js';
import { type FilesToSave, type SaveAllOptions, type SavedMedia, saveAll } from './save-all.js';
import { filePathOf, type ServiceAddress } from './service-url.js';

/** Photos and documents by the URLs in replies. */
export class Media {
  readonly #call: Caller;
  readonly #address: ServiceAddress;

  readonly #warn: WarnAbout;

  /** @internal */
  constructor(call: Caller, address: ServiceAddress, warn: WarnAbout) {
    this.#call = call;
    this.#address = address;
    this.#warn = warn;
  }

  /**
   * Streams the file of a URL in a reply: an entry of `images` or `documents` of a lot, or the `download_url` of a document.
   * Sends a signed GET on exactly its path.
   *
   * Only URLs of the configured service that can be a file are signed. Others are refused before anything is sent, and
   * redirects are not followed. Pass URLs of replies only, never one that a browser sent: the documents of other parties
   * have URLs of the service, too.
   *
   * API: "Catalogue and events", rules.
   * @param url The absolute URL of a reply.
   * @param options Signal, timeout, deadline and attempts of this call.
   * @throws InvalidRequestError for a URL that isn't under the client's base URL, or isn't that of a file.
   */
  async download(url: string, options?: CallOptions): Promise<BinaryReply> {
    const { path, query } = filePathOf(url, this.#address);
    const { route, input } = rawCall({ method: 'GET', path, query }, 'binary', 'media.download');
    return this.#call<BinaryReply>(route, input, options);
  }

  /**
   * Saves the file of a URL in a reply. It writes a temporary file and renames it once complete, so `path` is never partial.
   *
   * @param url The absolute URL of a reply.
   * @param path Target file, which is replaced. Choose the name yourself; never take it from a reply.
   * @param options As for `download`; its `deadline` covers the whole file.
   * @throws UnexpectedResponseError if the size differs from the announced one. Then no file is left.
   */
  async save(url: string, path: string, options?: CallOptions): Promise<SavedFile> {
    return saveTo(await this.download(url, options), path, 'media.save');
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
   * @returns a result for each URL, in order; a failed one has its error in its result.
   * @throws InvalidRequestError for a URL that is not of the service, before anything is sent.
   * @throws errors that affect every file, such as AuthenticationError or a full disk.
   */
  saveAll(urls: FilesToSave, folder: string, options: SaveAllOptions = {}): Promise<readonly SavedMedia[]> {
    const save = (url: string, path: (reply: BinaryReply) => string, limits: CallOptions) =>
      this.download(url, limits).then((reply) => saveTo(reply, path(reply), 'media.saveAll'));
    const pathOf = (url: string) => filePathOf(url, this.#address).path;
    return saveAll({ save, pathOf, warn: this.#warn }, urls, folder, options);
  }

  /**
   * Serves a photo or document to a browser, which can't sign. Streams it with headers that keep it private and inert.
   *
   * Writes to a Node response if you pass one, otherwise returns a Fetch `Response`. Failures are answered with 404, 502, 503
   * or 504. If the browser disconnects, the download ends.
   *
   * @param url The absolute URL of a reply; never one that a browser sent.
   * @throws InvalidRequestError for a URL that is not one of a file of the service. Nothing is sent or answered then.
   */
  serve(url: string, response: StreamedResponse, options?: CallOptions): Promise<void>;
  serve(url: string, response?: undefined, options?: CallOptions): Promise<Response>;
  serve(url: string, response?: StreamedResponse, options?: CallOptions): Promise<unknown> {
    if (response === undefined) return asResponse(() => this.download(url, options));
    return answerWith(response, options?.signal, (signal) => this.download(url, { ...options, signal }));
  }
}
