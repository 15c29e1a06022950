import type { Stats } from 'node:fs';
import { lstat, readFile, realpath, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, unavailable, unsafePlace } from './faults.js';
import { unsafeFileSystem } from './file-systems.js';

/** What is asked of the system about a place; `type` is that of statfs(2). */
export interface PlaceInfo {
  type(directory: string): Promise<number>;
  /** The table of mounts as Linux writes it. */
  mounts(): Promise<string>;
}

const systemInfo: PlaceInfo = {
  type: async (directory) => (await statfs(directory)).type,
  mounts: () => readFile('/proc/self/mountinfo', 'utf8').catch(() => ''),
};

/**
 * Where a journal really lies, links followed: it is renamed there, and locked there.
 *
 * @param allowed names of file systems to be trusted
 * @throws JournalError `unsafe_place`, `unavailable`
 */
export async function locate(
  path: string,
  allowed: readonly string[],
  info: PlaceInfo = systemInfo,
): Promise<string> {
  const real = await realPathOf(path);
  await checkFileSystem(path, dirname(real), allowed, info);
  const found = await stat(real).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unavailable(path, 'looked at', error);
  });
  if (found !== undefined) await checkFile(path, real, found, info);
  return real;
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unavailable(path, 'looked at', error);
  }
  const there = await lstat(path).catch(() => undefined);
  if (there?.isSymbolicLink() === true) {
    throw unsafePlace(path, 'is a link that leads nowhere', 'Give the path of the file itself.');
  }
  // Another process has made it this very moment.
  if (there !== undefined) return realPathOf(path);
  try {
    return join(await realpath(dirname(path)), basename(path));
  } catch (error) {
    throw unsafePlace(
      path,
      `can't be made: its directory can't be found (${codeOf(error)})`,
      'Make the directory first, on a disk of this machine that lasts.',
      error,
    );
  }
}

async function checkFileSystem(
  path: string,
  directory: string,
  allowed: readonly string[],
  info: PlaceInfo,
): Promise<void> {
  // Elsewhere the numbers mean something else, or nothing.
  if (process.platform !== 'linux') return;
  const type = await info.type(directory).catch((error: unknown) => {
    throw unavailable(path, 'looked at', error);
  });
  const name = unsafeFileSystem(type);
  if (name === undefined || allowed.includes(name)) return;
  throw unsafePlace(
    path,
    `lies on a file system of type ${name}, which may lose or double writes`,
    `Put it on a disk of this machine; if you know better, say allowFileSystems: ['${name}'].`,
  );
}

async function checkFile(path: string, real: string, found: Stats, info: PlaceInfo): Promise<void> {
  if (!found.isFile()) {
    throw unsafePlace(path, 'is no regular file', 'Give the path of a file, or of none so far.');
  }
  if (found.nlink > 1) {
    throw unsafePlace(path, 'has a second name (a hard link)', 'Remove all of its names but one.');
  }
  if ((found.mode & 0o077) !== 0 && process.platform !== 'win32') {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw unsafePlace(path, `has mode ${mode}, so others may read or write it`, `Run: chmod 600 ${real}`);
  }
  if (await isMountPoint(real, info)) {
    throw unsafePlace(
      path,
      'is mounted by itself, so nothing can be put in its place',
      'Mount the directory that it lies in.',
    );
  }
}

/** Whether a file is where something is mounted, as containers do with single files. Known on Linux only. */
async function isMountPoint(real: string, info: PlaceInfo): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const mounts = await info.mounts();
  return mounts.split('\n').some((line) => unescaped(line.split(' ')[4] ?? '') === real);
}

/** Blanks and backslashes are written there as three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
