import { type FileContent, fileContentBrand } from '../../ports/file-content.js';

/**
 * The bytes of a request, frozen: length and digest are of exactly these, and so is what every attempt sends.
 */
export interface RequestBody {
  /** Bytes. */
  readonly length: number;
  /** Lowercase hex SHA-256. */
  readonly sha256: string;
  /** Where a part of it is the base64 of a file: which one, and the JSON around it. */
  readonly file?: { readonly path: string; readonly before: Uint8Array; readonly after: Uint8Array };
  /**
   * The bytes for one attempt: in memory, or read again from where they lie. What is read again is digested again,
   * and reading fails before its last byte where it is no longer the same.
   */
  open(): Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * The content of the file at `path`, for a body field that takes base64 (`content_base64` of A72). Reading begins
 * with the call.
 */
export function fileContent(path: string): FileContent {
  return { path, [fileContentBrand]: true };
}

/** By its brand, never by its form: a body that came as JSON must not name a file of this machine. */
export function isFileContent(value: unknown): value is FileContent {
  return typeof value === 'object' && value !== null && Reflect.get(value, fileContentBrand) === true;
}
