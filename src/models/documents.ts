// Generated from src/api by `npm run generate`; edits are lost.

import type { FileContent } from '../ports/file-content.js';

/**
 * An evidence document, without its bytes.
 *
 * API text: Workflow record.
 */
export interface DocumentData {
  /** The sale that it belongs to. (API: Workflow record) */
  readonly sale_id?: string | null;
  /** What the document is for. (API: Workflow record) */
  readonly purpose?: 'payment_evidence' | (string & {});
  /** File name as uploaded. (API: Workflow record) */
  readonly filename?: string;
  /** Media type of the file. (API: Workflow record) */
  readonly mime?: string | null;
  /** Size of the file in bytes. (API: Workflow record) */
  readonly bytes?: number;
  /** SHA-256 of the file; how it is encoded is undocumented. (API: Workflow record) */
  readonly digest?: string;
  /**
   * Where the file can be fetched with a signed GET; only where the metadata is read. (API: Workflow record)
   */
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
  /** What is recorded. (API: Workflow record) */
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
  /** What the document is for; further values are undocumented. (API: Documents and notifications) */
  readonly purpose: 'payment_evidence' | (string & {});
  /** Name under which the file is recorded. (API: Documents and notifications) */
  readonly filename: string;
  /**
   * The bytes of the file as padded standard base64. No limit of size or media type is shown.
   * `fileContent(path)` streams a file in its place. (API: Documents and notifications)
   */
  readonly content_base64: string | FileContent;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Documents and notifications)
   */
  readonly idempotency_key?: string | undefined;
}
