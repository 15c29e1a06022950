import { type BigIntStats, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MOVED, refusal } from './faults.js';

/** A file by what stays the same when it is renamed. */
export interface FileIdentity {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * File systems of Linux, by the number that statfs(2) gives them, on which SQLite isn't safe: network file systems and
 * those that a program serves, whose locks and syncs are not reliable.
 */
const UNSAFE: Readonly<Record<string, readonly number[]>> = {
  NFS: [0x6969],
  SMB: [0x517b, 0xff534d42, 0xfe534d42],
  AFS: [0x5346414f, 0x6b414653],
  '9P': [0x01021997],
  Ceph: [0x00c36400],
  Lustre: [0x0bd00bd0],
  GFS2: [0x01161970],
  OCFS2: [0x7461636f],
  Coda: [0x73757245],
  NCP: [0x564c],
  GPFS: [0x47504653],
  BeeGFS: [0x19830326],
  OrangeFS: [0x20030528],
  IBRIX: [0x013111a8],
  vboxsf: [0x786f4256],
  vmhgfs: [0xbacbacbc],
  FUSE: [0x65735546],
};

/** @returns the name of a file system that is not safe; undefined for every other */
export function unsafeFileSystem(type: number): string | undefined {
  return Object.keys(UNSAFE).find((name) => UNSAFE[name]?.includes(type >>> 0));
}

/** Creates the file, readable by its owner only, if there is none, and checks that SQLite can keep it safely. */
export function prepareFile(store: string, path: string): void {
  const folder = dirname(resolve(path));
  if (statOf(folder)?.isDirectory() !== true) {
    const what = `${store} can't be opened: there is no folder "${folder}".`;
    throw refusal('unavailable', what, 'Create the folder or choose another path.');
  }
  checkFileSystem(store, folder);
  try {
    // Fails on a file that exists, without opening it: closing it again would drop the locks of SQLite.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    if (code !== 'EEXIST') {
      const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'read_only';
      const nextStep = 'Make room on the disk, or give this process permission to write to the folder.';
      throw refusal(reason, `${store} can't be created: ${code}.`, nextStep, error);
    }
  }
  checkFile(store, path);
}

/** Checks that SQLite can keep an existing file safely. */
export function checkFile(store: string, path: string): void {
  const file = statOf(path);
  if (file?.isFile() === false) {
    throw refusal('unavailable', `${store} can't be opened: it is not a file.`, 'Choose another path.');
  }
  // SQLite names the journal after the path, so a crash under one name could not be repaired under the other.
  if (file !== undefined && file.nlink > 1n) {
    const what = `${store} can't be opened: the file has ${file.nlink} hard links.`;
    throw refusal('unsupported', what, 'Remove the other names of the file, or choose another path.');
  }
  checkFileSystem(store, path);
}

function checkFileSystem(store: string, path: string): void {
  const isShare = process.platform === 'win32' && /^[\\/]{2}/.test(resolve(path));
  // The numbers of other systems have other meanings.
  const type = process.platform === 'linux' ? statfsSync(path).type : 0;
  const name = isShare ? 'a network share' : unsafeFileSystem(type);
  if (name === undefined) return;
  throw refusal(
    'unsupported',
    `${store} can't be opened: its file system is ${name}, where locks and syncs are not reliable.`,
    'Choose a path on a local disk, or use the Postgres store.',
  );
}

/** Which file is at a path now. Only stat is safe: opening and closing the file would drop the locks of SQLite. */
export function identityOf(path: string): FileIdentity | undefined {
  const stats = statOf(path);
  return stats && { path, dev: stats.dev, ino: stats.ino };
}

/** @throws StoreError if a file is no longer at its path */
export function checkIdentity(store: string, file: FileIdentity): void {
  const found = identityOf(file.path);
  if (found?.dev === file.dev && found.ino === file.ino) return;
  const what = `${store} can't be used: the file was renamed, replaced or removed while it was open.`;
  throw refusal('moved', what, MOVED);
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
