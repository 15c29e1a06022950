import type { BinaryReply, Caller, CallOptions } from '../core/caller.js';
import { rawCall } from '../core/request/raw.js';
import { answerWith, asResponse, type SavedFile, type StreamedResponse, saveTo } from './save.js';
import { filePathOf, type ServiceAddress } from './service-url.js';

/** Photos and documents by the URLs that replies carry. */
export class Files {
  readonly #call: Caller;
  readonly #address: ServiceAddress;

  /** @internal */
  constructor(call: Caller, address: ServiceAddress) {
    this.#call = call;
    this.#address = address;
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
    const { route, input } = rawCall({ method: 'GET', path, query }, 'binary', 'files.download');
    return this.#call<BinaryReply>(route, input, options);
  }

  /**
   * Saves what a URL of a reply points at. A temporary file takes the name once it is whole, so `path` never holds half a file.
   *
   * @param url The absolute URL, as the reply has it.
   * @param path Where to save it; what is there is replaced. Choose the name yourself, never take it from a reply.
   * @param options As for `download`; its `deadline` covers the whole file.
   * @throws UnexpectedResponseError where the size is not the announced one; no file is left then.
   */
  async save(url: string, path: string, options?: CallOptions): Promise<SavedFile> {
    return saveTo(await this.download(url, options), path, 'files.save');
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
    return answerWith(response, (gone) => {
      const signals = options?.signal === undefined ? [gone] : [gone, options.signal];
      return this.download(url, { ...options, signal: AbortSignal.any(signals) });
    });
  }
}
