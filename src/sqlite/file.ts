import { type BigIntStats, closeSync, openSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MOVED, refusal } from './faults.js';

/** A file by what stays when it is renamed. */
export interface FileIdentity {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * File systems of Linux, by the number that statfs(2) gives them, on which SQLite isn't safe: those of a network and
 * those that a program serves, where a lock or a sync may mean less than here.
 */
const UNSAFE = new Map<number, string>([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x20030528, 'OrangeFS'],
  [0x013111a8, 'IBRIX'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
  [0x65735546, 'FUSE'],
]);

/** @returns the name of a file system that is not safe; undefined for every other */
export function unsafeFileSystem(type: number): string | undefined {
  return UNSAFE.get(type >>> 0);
}

/**
 * Creates the file, readable by its owner only, where there is none, and checks that SQLite can keep it safely. Call it
 * only while nothing in this process has the file open: closing it again would drop SQLite's locks.
 */
export function prepareFile(store: string, path: string): void {
  const folder = dirname(resolve(path));
  const kind = statOf(folder);
  if (kind === undefined || !kind.isDirectory()) {
    throw refusal(
      'unavailable',
      `${store} can't be opened: there is no folder "${folder}".`,
      'Create the folder or choose another path.',
    );
  }
  checkFileSystem(store, folder);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw refusal(
        'full',
        `${store} can't be created: ${code}.`,
        'Make room on the disk, then try again.',
        error,
      );
    }
    if (code !== 'EEXIST') {
      throw refusal(
        'read_only',
        `${store} can't be created: ${code}.`,
        'Give this process permission to write to the folder, or choose another path.',
        error,
      );
    }
  }
  const file = statOf(path);
  if (file !== undefined && !file.isFile()) {
    throw refusal('unavailable', `${store} can't be opened: it is not a file.`, 'Choose another path.');
  }
  checkLinks(store, file);
  checkFileSystem(store, path);
}

/** The checks of a file that somebody else has opened. */
export function checkFile(store: string, path: string): void {
  checkLinks(store, statOf(path));
  checkFileSystem(store, path);
}

/** SQLite names the journal after the path: under another name of the file nobody would find it. */
function checkLinks(store: string, file: BigIntStats | undefined): void {
  if (file === undefined || file.nlink <= 1n) return;
  throw refusal(
    'unsupported',
    `${store} can't be opened: the file has ${file.nlink} hard links.`,
    'Remove the other names of the file, or choose another path.',
  );
}

function checkFileSystem(store: string, path: string): void {
  const isShare = process.platform === 'win32' && /^[\\/]{2}/.test(resolve(path));
  // Numbers of other systems mean other things.
  const type = process.platform === 'linux' ? statfsSync(path).type : 0;
  const name = isShare ? 'a network share' : unsafeFileSystem(type);
  if (name === undefined) return;
  throw refusal(
    'unsupported',
    `${store} can't be opened: its file system is ${name}, where locks and syncs are not reliable.`,
    'Choose a path on a local disk, or use the Postgres store.',
  );
}

/** One name for a file, however its path is written. */
export function canonicalPath(path: string): string {
  return realpathSync(path);
}

/** Which file is at a path now. Only looks: opening and closing it would drop SQLite's locks. */
export function identityOf(path: string): FileIdentity | undefined {
  const stats = statOf(path);
  return stats && { path, dev: stats.dev, ino: stats.ino };
}

/** @throws StoreError where another file is at the path by now, or none */
export function checkIdentity(store: string, file: FileIdentity): void {
  const found = identityOf(file.path);
  if (found?.dev === file.dev && found.ino === file.ino) return;
  const what = found === undefined ? 'renamed or removed' : 'replaced';
  throw refusal('moved', `${store} can't be used: the file was ${what} while it was open.`, MOVED);
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
