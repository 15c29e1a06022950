/** Marks the content of a file. A registered symbol: both builds know it, and no JSON can forge it. */
export const fileContentBrand = Symbol.for('vehicle-auction-sdk.fileContent');

/**
 * The content of a file, in place of its base64; `fileContent(path)` makes one. The file is read twice, to digest
 * it and to send it, and again for every retry, so it is never completely in memory; a file that changes in between
 * is not sent.
 */
export interface FileContent {
  /** Path of the file. */
  readonly path: string;
  readonly [fileContentBrand]: true;
}
