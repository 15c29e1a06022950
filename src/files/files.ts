import type { BinaryReply, Caller, CallOptions } from '../core/caller.js';
import { rawCall } from '../core/raw-route.js';
import { type ServiceAddress, servicePathOf } from './service-url.js';

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
   * Only URLs of the configured service are signed for; any other is refused before anything is sent, and no
   * redirect is followed.
   *
   * API: "Catalogue and events", rules.
   * @param url The absolute URL, as the reply has it.
   * @param options Signal, timeout, deadline and attempts of this call.
   * @throws InvalidRequestError for a URL that isn't under the client's base URL.
   */
  async download(url: string, options?: CallOptions): Promise<BinaryReply> {
    const { path, query } = servicePathOf(url, this.#address);
    const { route, input } = rawCall({ method: 'GET', path, query }, 'binary', 'files.download');
    return this.#call<BinaryReply>(route, input, options);
  }
}
