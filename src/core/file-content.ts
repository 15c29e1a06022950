import { type FileContent, fileContentBrand } from '../ports/file-content.js';

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
