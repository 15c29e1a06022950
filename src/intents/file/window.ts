import type { DiskFile } from './disk.js';

/** Bytes that are read at once. */
const CHUNK = 1 << 20;

/** A file that is read from its beginning to its end, in pieces of any size. */
export class FileWindow {
  readonly size: number;
  readonly #file: DiskFile;
  #bytes: Buffer = Buffer.alloc(0);
  #position = 0;

  constructor(file: DiskFile, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** The bytes there; fewer where the file ends. Holds until the next call. */
  async at(position: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, this.size - position);
    const from = position - this.#position;
    if (from >= 0 && from + wanted <= this.#bytes.length) return this.#bytes.subarray(from, from + wanted);
    const read = await this.#file.read(position, Math.min(Math.max(wanted, CHUNK), this.size - position));
    this.#bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    this.#position = position;
    return this.#bytes.subarray(0, wanted);
  }
}
