import { rawCall } from '../core/request/raw.js';
import type { BinaryReply, Caller, CallOptions } from '../ports/caller.js';
import type { WarnAbout } from '../runtime/user-code.js';
import { answerWith, asResponse, type SavedFile, type StreamedResponse, saveTo } from './save.js';
import { type FilesToSave, type SaveAllOptions, type SavedMedia, saveAll } from './save-all.js';
import { filePathOf, type ServiceAddress } from './service-url.js';

/** Photos and documents by the URLs that replies carry. */
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
   * Streams what a URL of a reply points at: an entry of `images` or `documents` of a lot, or the `download_url` of a
   * document, with a signed GET on exactly its path.
   *
   * Only URLs of the configured service are signed for, and none that are known to answer no file; any other is
   * refused before anything is sent, and no redirect is followed. Pass on what a reply said, never what a browser sent:
   * the file of another party's document has a URL of the service, too.
   *
   * API: "Catalogue and events", rules.
   * @param url The absolute URL, as the reply has it.
   * @param options Signal, timeout, deadline and attempts of this call.
   * @throws InvalidRequestError for a URL that isn't under the client's base URL, or is none of a file.
   */
  async download(url: string, options?: CallOptions): Promise<BinaryReply> {
    const { path, query } = filePathOf(url, this.#address);
    const { route, input } = rawCall({ method: 'GET', path, query }, 'binary', 'media.download');
    return this.#call<BinaryReply>(route, input, options);
  }

  /**
   * Saves what a URL of a reply points at. It writes a temporary file and renames it when complete, so `path` never has half a file.
   *
   * @param url The absolute URL, as the reply has it.
   * @param path Where to save it; what is there is replaced. Choose the name yourself, never take it from a reply.
   * @param options As for `download`; its `deadline` covers the whole file.
   * @throws UnexpectedResponseError where the size is not the announced one; no file is left then.
   */
  async save(url: string, path: string, options?: CallOptions): Promise<SavedFile> {
    return saveTo(await this.download(url, options), path, 'media.save');
  }

  /**
   * Saves many files into a folder, a few at a time, each whole or not at all.
   *
   * Names are made of the lot and media ids in the URL, such as `lot_1-7.jpg`. A file that is there already is not read again,
   * so after a crash the same call continues; partial files of a killed process are removed. It reads in the `poll` lane, so
   * bids, commands and other reads go first.
   *
   * @param urls Absolute URLs, as replies have them.
   * @param folder Made where it is missing.
   * @param options `concurrency` (4), `onProgress`, `nameOf`, and limits of each download.
   * @returns a result for each URL, in order; a failed one has its error in its result.
   * @throws InvalidRequestError for a URL that is not of the service, before anything is sent.
   * @throws what would fail for every file, such as AuthenticationError or a full disk.
   */
  saveAll(urls: FilesToSave, folder: string, options: SaveAllOptions = {}): Promise<readonly SavedMedia[]> {
    const save = (url: string, path: (reply: BinaryReply) => string, limits: CallOptions) =>
      this.download(url, limits).then((reply) => saveTo(reply, path(reply), 'media.saveAll'));
    const pathOf = (url: string) => filePathOf(url, this.#address).path;
    return saveAll({ save, pathOf, warn: this.#warn }, urls, folder, options);
  }

  /**
   * Re-serves a photo or document to a browser, which can't sign: streams it, with headers that keep it private and inert.
   *
   * With a Node response it answers on it; without one it returns a Fetch `Response`. What fails is answered: 404, 502, 503
   * or 504. When the browser goes away, the download ends.
   *
   * @param url The absolute URL, as a reply has it; never one that a browser sent.
   * @throws InvalidRequestError for a URL that is not one of a file of the service. Nothing is sent or answered then.
   */
  serve(url: string, response: StreamedResponse, options?: CallOptions): Promise<void>;
  serve(url: string, response?: undefined, options?: CallOptions): Promise<Response>;
  serve(url: string, response?: StreamedResponse, options?: CallOptions): Promise<unknown> {
    if (response === undefined) return asResponse(() => this.download(url, options));
    return answerWith(response, options?.signal, (signal) => this.download(url, { ...options, signal }));
  }
}
