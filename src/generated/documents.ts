// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { BinaryReply, CallOptions, Caller, MutationOptions } from '../ports/caller.js';
import type { FileContent } from '../ports/file-content.js';

/**
 * An evidence document, without its bytes.
 *
 * API text: Workflow record.
 */
export interface DocumentData {
  /** Sale of the document. (API: Workflow record) */
  readonly sale_id?: string | null;
  /** Purpose of the document. (API: Workflow record) */
  readonly purpose?: 'payment_evidence' | (string & {});
  /** File name as uploaded. (API: Workflow record) */
  readonly filename?: string;
  /** Media type of the file. (API: Workflow record) */
  readonly mime?: string | null;
  /** Size of the file in bytes. (API: Workflow record) */
  readonly bytes?: number;
  /** SHA-256 of the file; its encoding is undocumented. (API: Workflow record) */
  readonly digest?: string;
  /** URL of the file for a signed GET. Only present when you read the metadata. (API: Workflow record) */
  readonly download_url?: string | null;
}

/**
 * An evidence document, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface DocumentRecord {
  /** Id of an evidence document. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'document' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'awaiting_scan' | 'ready' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: DocumentData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `documents.upload`.
 *
 * API text: Documents and notifications.
 */
export interface DocumentsUploadBody {
  /** The sale that the document belongs to. (API: Documents and notifications) */
  readonly sale_id: string;
  /** Purpose of the document; other values are undocumented. (API: Documents and notifications) */
  readonly purpose: 'payment_evidence' | (string & {});
  /** Name under which the file is recorded. (API: Documents and notifications) */
  readonly filename: string;
  /**
   * The file as padded standard base64. Limits of size and media type are undocumented. `fileContent(path)`
   * streams a file in its place. (API: Documents and notifications)
   */
  readonly content_base64: string | FileContent;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Documents and notifications)
   */
  readonly idempotency_key?: string | undefined;
}

export const documentDataSchema: ObjectSchema = {
  fields: {
    sale_id: { optional: { nullable: 'string' } },
    purpose: { optional: 'string' },
    filename: { optional: 'string' },
    mime: { optional: { nullable: 'string' } },
    bytes: { optional: 'int' },
    digest: { optional: 'string' },
    download_url: { optional: { nullable: 'string' } },
  },
};

export const documentRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: documentDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const documents = {
  upload: {
    name: 'documents.upload',
    id: 'A72',
    method: 'POST',
    path: '/document-uploads',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    body: {
      fields: {
        sale_id: 'filled',
        purpose: 'filled',
        filename: 'filled',
        content_base64: 'base64',
        idempotency_key: 'uuid',
      },
    },
    fileFields: ['content_base64'],
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: documentRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'documents.get',
    id: 'A73',
    method: 'GET',
    path: '/documents/{document}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { document: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: documentRecordSchema, server_time: { optional: 'string' } } },
  },
  download: {
    name: 'documents.download',
    id: 'A73',
    method: 'GET',
    path: '/documents/{document}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    fixedQuery: { download: '1' },
    params: { document: 'pathId' },
    success: [200],
    envelope: 'binary',
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Evidence documents: upload, follow the scan, download.
 *
 * To look up an id, such as A72: `npx vehicle-auction-sdk docs A72`.
 */
export class Documents {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Uploads an evidence document of a sale. It can be used once it is scanned.
   *
   * The returned state is `awaiting_scan`. The document can be used as evidence and downloaded only after the
   * scanner finds the file clean and the state is `ready`. The service never skips the scan, even if the
   * scanner is down.
   *
   * API: A72, `POST /document-uploads`, scope `documents:write`; "Documents and notifications".
   * @param body What to send: `sale_id`, `purpose`, `filename`, `content_base64`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  upload(body: DocumentsUploadBody, options?: MutationOptions): Promise<DocumentRecord> {
    return this.#call<DocumentRecord>(documents.upload, { body }, options);
  }

  /**
   * Reads the metadata of a document: state, size, digest, download URL.
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
