/**
 * The disk as the file journal needs it. Every method rejects with the error of the system (`code` such as `ENOSPC`);
 * none retries anything.
 */
export interface Disk {
  /** Opens a file that is there, for reading and appending. @throws with code ENOENT where there is none. */
  open(path: string): Promise<DiskFile>;
  /** Makes a new file with mode 0600. @throws with code EEXIST where there is one. */
  create(path: string): Promise<DiskFile>;
  /** Puts a file in the place of another, atomically. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the directory of a path durable: what was made, renamed or removed in it. */
  syncDirectory(ofPath: string): Promise<void>;
}

export interface DiskFile {
  /** Bytes. */
  size(): Promise<number>;
  read(position: number, length: number): Promise<Uint8Array>;
  /** Writes all of it at the end; after a failure any part of it may have been written. */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes what was written durable. After a failure nothing is known of it, ever. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
