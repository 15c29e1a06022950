/** Marks file content. A registered symbol is shared by both builds and cannot come from JSON. */
export const fileContentBrand = Symbol.for('vehicle-auction-sdk.fileContent');

/**
 * A reference to a file, instead of its base64 content. Create it with `fileContent(path)`. Each attempt reads the
 * file twice, to digest and to send it, so that it is never fully in memory. A file that changes in between is not
 * sent.
 */
export interface FileContent {
  /** Path of the file. */
  readonly path: string;
  readonly [fileContentBrand]: true;
}
