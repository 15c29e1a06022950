// Generated from src/api by `npm run generate`; edits are lost.

import type { BinaryReply, CallOptions, Caller, MutationOptions } from '../core/caller.js';
import type { DocumentRecord, DocumentsUploadBody } from '../models/documents.js';
import { documents } from '../routes/documents.js';

/** Evidence documents: upload, follow the scan, download. */
export class Documents {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Uploads an evidence document of a sale; it waits for its scan before it can be used.
   *
   * The record comes back as `awaiting_scan`. Until the scanner has found the file clean and the state is
   * `ready`, the document serves neither as evidence nor for download; the service never skips the scan, not
   * even while the scanner is down.
   *
   * API: A72, `POST /document-uploads`, scope `documents:write`; "Documents and notifications".
   * @param body What to send: `sale_id`, `purpose`, `filename`, `content_base64`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  upload(body: DocumentsUploadBody, options?: MutationOptions): Promise<DocumentRecord> {
    return this.#call<DocumentRecord>(documents.upload, { body }, options);
  }

  /**
   * Reads what is known of a document: state, size, digest, download address.
   *
   * Read it again until the state is `ready`; states other than these and `awaiting_scan` are undocumented.
   *
   * API: A73, `GET /documents/{document}`, scope `documents:read`; "Documents and notifications".
   * @param document Document id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(document: string, options?: CallOptions): Promise<DocumentRecord> {
    return this.#call<DocumentRecord>(documents.get, { path: { document } }, options);
  }

  /**
   * Streams the bytes of a document whose state is `ready`.
   *
   * Access is checked again on every download.
   *
   * API: A73, `GET /documents/{document}?download=1`, scope `documents:read`; "Documents and notifications".
   * @param document Document id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  download(document: string, options?: CallOptions): Promise<BinaryReply> {
    return this.#call<BinaryReply>(documents.download, { path: { document } }, options);
  }
}
