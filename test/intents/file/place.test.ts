import { execFile } from 'node:child_process';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileJournal } from '../../../src/intents/file/file-journal.js';
import { unsafeFileSystem } from '../../../src/intents/file/file-systems.js';
import { locate, type PlaceInfo } from '../../../src/intents/file/place.js';
import { errorOf, faultOf, make, standings } from './kit.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'place-')));
  path = join(folder, 'bids.journal');
});

afterEach(() => rm(folder, { recursive: true }));

describe('a journal lies', () => {
  it('in a file of its own, new or not', async () => {
    expect(await locate(path, [])).toBe(path);
    await writeFile(path, '', { mode: 0o600 });
    expect(await locate(path, [])).toBe(path);
  });

  it('where links lead', async () => {
    await mkdir(join(folder, 'real'));
    const real = join(folder, 'real', 'bids.journal');
    await writeFile(real, '', { mode: 0o600 });
    await symlink(real, path);
    await symlink(join(folder, 'real'), join(folder, 'linked'));
    expect(await locate(path, [])).toBe(real);
    expect(await locate(join(folder, 'linked', 'new.journal'), [])).toBe(join(folder, 'real', 'new.journal'));
  });
});

describe('a journal is refused', () => {
  it.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o666, 0o777])(
    'with mode %o, and told how to mend it',
    async (mode) => {
      await writeFile(path, '');
      await chmod(path, mode);
      const error = await errorOf(locate(path, []));
      expect(error).toMatchObject({ fault: 'unsafe_place' });
      expect(error?.message).toBe(
        `The journal ${path} has mode 0${mode.toString(8)}, so others may read or write it. Run: chmod 600 ${path}`,
      );
      await chmod(path, 0o600);
      expect(await locate(path, [])).toBe(path);
    },
  );

  it('where it is a directory or a device', async () => {
    await mkdir(path, { mode: 0o700 });
    for (const no of [path, '/dev/null']) {
      expect((await errorOf(locate(no, [])))?.message).toContain(`${no} is no regular file`);
    }
  });

  it('where it is a socket', async () => {
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    expect((await errorOf(locate(path, [])))?.message).toContain('is no regular file');
    await new Promise((resolve) => server.close(resolve));
  });

  it('where it is a link that leads nowhere', async () => {
    await symlink(join(folder, 'none'), path);
    const error = await errorOf(locate(path, []));
    expect(error).toMatchObject({ fault: 'unsafe_place' });
    expect(error?.message).toContain('is a link that leads nowhere');
  });

  it('where it has a second name', async () => {
    await writeFile(path, '', { mode: 0o600 });
    await link(path, join(folder, 'second'));
    expect((await errorOf(locate(path, [])))?.message).toContain('has a second name (a hard link)');
  });

  it('where its directory is not there, or is a file', async () => {
    const error = await errorOf(locate(join(folder, 'none', 'bids.journal'), []));
    expect(error).toMatchObject({ fault: 'unsafe_place' });
    expect(error?.message).toContain(
      "can't be made: its directory can't be found (ENOENT). Make the directory first",
    );
    await writeFile(path, '');
    expect(await faultOf(locate(join(path, 'bids.journal'), []))).toBe('unavailable');
  });

  it.runIf(process.platform === 'linux')('where it is mounted by itself', async () => {
    await writeFile(join(folder, 'my bids.journal'), '', { mode: 0o600 });
    const mounted = join(folder, 'my bids.journal');
    const mounts = `22 1 8:1 / / rw - ext4 /dev/sda1 rw\n99 22 8:1 /x ${folder}/my\\040bids.journal rw - ext4 /dev/sda1 rw\n`;
    const error = await errorOf(locate(mounted, [], { ...info(0xef53), mounts: async () => mounts }));
    expect(error?.message).toContain('is mounted by itself, so nothing can be put in its place');
    expect(await locate(path, [], { ...info(0xef53), mounts: async () => mounts })).toBe(path);
  });

  it.runIf(process.platform === 'linux')(
    'on a file system of a network, unless that is allowed by its name',
    async () => {
      for (const [type, name] of [
        [0x6969, 'nfs'],
        [0xff534d42, 'cifs'],
        [0xff534d42 | 0, 'cifs'],
        [0x01021997, '9p'],
        [0x65735546, 'fuse'],
      ] as const) {
        const error = await errorOf(locate(path, [], info(type)));
        expect(error).toMatchObject({ fault: 'unsafe_place' });
        expect(error?.message).toContain(`lies on a file system of type ${name}, `);
        expect(error?.message).toContain(`allowFileSystems: ['${name}']`);
        expect(await faultOf(locate(path, ['ext4'], info(type)))).toBe('unsafe_place');
        expect(await locate(path, [name], info(type))).toBe(path);
      }
    },
  );

  it('on none of the file systems that disks and containers have', () => {
    const [ext4, xfs, btrfs, overlay, zfs, tmpfs] = [
      0xef53, 0x58465342, 0x9123683e, 0x794c7630, 0x2fc12fc1, 0x01021994,
    ];
    for (const type of [ext4, xfs, btrfs, overlay, zfs, tmpfs])
      expect(unsafeFileSystem(type ?? 0)).toBeUndefined();
  });
});

describe('a journal on a disk', () => {
  it('is made for its owner alone, with all that stands beside it', async () => {
    const journal = fileJournal(path);
    await make(journal, 'key-1');
    for (const name of await readdir(folder)) {
      const { mode } = await stat(join(folder, name));
      if (!name.startsWith('.')) expect([name, (mode & 0o777).toString(8)]).toEqual([name, '600']);
    }
    await journal.close();
    expect(await readdir(folder)).toEqual(['bids.journal']);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    expect(await standings(fileJournal(path))).toEqual(['key-1 prepared']);
  });

  it('can be read and written through every way to it, one at a time', async () => {
    const linked = join(folder, 'linked');
    await symlink(folder, linked);
    const journal = fileJournal(path);
    await make(journal, 'key-1');
    const other = fileJournal(join(linked, 'bids.journal'));
    expect(await faultOf(other.open())).toBe('owned');
    await journal.close();
    await other.close();
    expect(await standings(other)).toEqual(['key-1 prepared']);
    await other.close();
  });

  it('notices what somebody else writes into it', async () => {
    const journal = fileJournal(path);
    await make(journal, 'key-1');
    await appendFile(path, 'x');
    expect(await faultOf(make(journal, 'key-2'))).toBe('foreign_write');
    await journal.close();
  });

  it('notices that it was removed, or that another file was put in its place', async () => {
    const journal = fileJournal(path);
    await make(journal, 'key-1');
    await rm(path);
    expect(await faultOf(make(journal, 'key-2'))).toBe('foreign_write');
    await journal.close();
    await make(journal, 'key-1');
    await writeFile(`${path}.other`, '');
    await rename(`${path}.other`, path);
    expect(await faultOf(make(journal, 'key-2'))).toBe('foreign_write');
    await journal.close();
  });

  it('is opened by a promise that keeps no process alive, and needs no closing to let it end', async () => {
    const code = [
      `const { fileJournal } = await import(${JSON.stringify(String(new URL('../../../src/intents/file/file-journal.ts', import.meta.url)))});`,
      `console.log((await fileJournal(${JSON.stringify(path)}).open()).intents);`,
    ].join('\n');
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      code,
    ]);
    expect(stdout).toBe('0\n');
    const journal = fileJournal(path);
    expect(await journal.open()).toMatchObject({ intents: 0, formatVersion: 2 });
    await journal.close();
  });
});

/** A system on which every directory lies on such a file system, and nothing is mounted. */
function info(type: number): PlaceInfo {
  return { type: async () => type, mounts: async () => '' };
}
