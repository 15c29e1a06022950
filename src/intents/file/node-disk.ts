import { close, constants, fdatasync, fstatSync, open, read, write } from 'node:fs';
import { open as openHandle, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Disk, DiskFile } from './disk.js';

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;

/** The file system of this machine. */
export const nodeDisk: Disk = {
  open: async (path) => fileOf(await opened(path, O_RDWR | O_APPEND)),
  create: async (path) => fileOf(await opened(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600)),
  rename,
  remove: unlink,
  async syncDirectory(ofPath) {
    const directory = await openHandle(dirname(ofPath), 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
};

const opened = promisify(open);
const closed = promisify(close);
const synced = promisify(fdatasync);

/** Callbacks rather than handles: a commit is two calls, and what comes on top of them counts. */
function fileOf(descriptor: number): DiskFile {
  return {
    // Answered from memory by a local file system, sooner than a thread could be asked to.
    size: async () => {
      const { nlink, size } = fstatSync(descriptor);
      // What has no name any more is lost as soon as it is closed: for whoever relies on it, nothing is there.
      return nlink === 0 ? 0 : size;
    },
    read: (position, length) => readAll(descriptor, position, length),
    append: (bytes) => writeAll(descriptor, bytes),
    sync: () => synced(descriptor),
    close: () => closed(descriptor),
  };
}

async function readAll(descriptor: number, position: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const got = await new Promise<number>((resolve, reject) => {
      read(descriptor, bytes, done, length - done, position + done, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}

/** The system may write less than it was given, and say so. */
async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += await new Promise<number>((resolve, reject) => {
      write(descriptor, bytes, done, bytes.length - done, null, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }
}
