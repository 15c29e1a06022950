import type { BinaryReply, Caller, CallOptions } from '../core/caller.js';
import { rawCall } from '../core/raw-route.js';
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
   * the file of somebody else's document has a URL of the service, too.
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
}
