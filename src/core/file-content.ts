import type { FileContent } from '../ports/file-content.js';

/**
 * The content of the file at `path`, for a body field that takes base64 (`content_base64` of A72). Reading begins
 * with the call.
 */
export function fileContent(path: string): FileContent {
  return { kind: 'file_content', path };
}

/** By its form, because the ESM and the CJS build are two copies of this module. */
export function isFileContent(value: unknown): value is FileContent {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'kind') === 'file_content';
}
