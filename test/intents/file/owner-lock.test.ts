import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileJournal } from '../../../src/intents/file/file-journal.js';
import { type Owner, thisProcess } from '../../../src/intents/file/owner.js';
import { lockFor } from '../../../src/intents/file/owner-lock.js';
import { answers, giveSign } from '../../../src/intents/file/sign-of-life.js';
import { errorOf, faultOf, make, standings } from './kit.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(folder, 'bids.journal');
});

afterEach(() => rm(folder, { recursive: true }));

/** A pid that nobody has: above what the system gives out. */
const NOBODY = 2 ** 22 + 1;

/** Leaves a lock as somebody did who is like this process but for what is given. */
async function lockOf(owner: Partial<Owner>, name = `${path}.lock`): Promise<Owner> {
  const whole = { ...(await thisProcess()), listens: false, ...owner };
  await writeFile(name, JSON.stringify(whole), { mode: 0o600 });
  return whole;
}

/** Who has the lock, as far as it can be told from the file. */
async function lockedBy(): Promise<string> {
  return JSON.parse(await readFile(`${path}.lock`, 'utf8')).id;
}

describe('a lock', () => {
  it('is for one opening, in one process', async () => {
    const unlock = await lockFor(path);
    const error = await errorOf(lockFor(path));
    expect(error).toMatchObject({ fault: 'owned', outcome: 'not_sent' });
    expect(error?.message).toContain(`${path} is open in this process on host ${hostname()}, since 20`);
    expect(error?.message).toContain('Another journal object of this process has it open: share that one');
    await unlock();
    await (await lockFor(path))();
  });

  it('leaves nothing behind', async () => {
    const unlock = await lockFor(path);
    await faultOf(lockFor(path));
    expect(await readdir(folder)).toHaveLength(2);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a process that lives is respected, by its pid where it has no socket', async () => {
    await lockOf({ pid: process.ppid, began: await beganOf(process.ppid) });
    const error = await errorOf(lockFor(path));
    expect(error?.message).toContain(`is open in process ${process.ppid} on host ${hostname()}`);
    expect(error?.message).toContain('give each process a journal of its own');
    expect(await readdir(folder)).toEqual(['bids.journal.lock']);
  });

  it.each<[string, Partial<Owner>]>([
    ['a process that is gone', { pid: NOBODY }],
    ['a process whose pid is used again', { began: '1' }],
    ['a machine before its restart', { boot: 'another' }],
  ])('of %s is taken over', async (_, owner) => {
    const { id } = await lockOf(owner);
    await writeFile(`${path}.lock.${id}.draft`, '');
    const unlock = await lockFor(path);
    expect(await lockedBy()).not.toBe(id);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a container that is gone is taken over, though its pid is in use here', async () => {
    const owner = await lockOf({ listens: true, pidNamespace: 'pid:[1]', host: 'container-1' });
    await leftSocket(join(folder, `.${owner.id}`));
    const unlock = await lockFor(path);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a container that lives is respected, though nobody here has its pid', async () => {
    const other = { listens: true, pid: NOBODY, pidNamespace: 'pid:[1]', host: 'container-1' };
    const owner = await lockOf(other);
    const silence = await giveSign(join(folder, `.${owner.id}`));
    expect(await faultOf(lockFor(path))).toBe('owned');
    await silence?.();
  });

  it('of a container that lives is not taken for one of this process, though their pids are alike', async () => {
    const owner = await lockOf({ listens: true, pidNamespace: 'pid:[1]', host: 'container-1' });
    const silence = await giveSign(join(folder, `.${owner.id}`));
    const error = await errorOf(lockFor(path));
    expect(error?.message).toContain(`is open in process ${process.pid} on host container-1`);
    expect(error?.message).toContain('give each process a journal of its own');
    await silence?.();
  });

  it('of a container of which no socket tells is respected until somebody says that it is gone', async () => {
    const { host } = await lockOf({ pid: NOBODY, pidNamespace: 'pid:[1]' });
    expect(await faultOf(lockFor(path))).toBe('owned');
    await (await lockFor(path, host))();
  });

  it('of another host is respected until somebody says that it is gone', async () => {
    await lockOf({ host: 'elsewhere-1', boot: 'another', pid: NOBODY });
    const error = await errorOf(lockFor(path));
    expect(error?.message).toContain(`is open in process ${NOBODY} on host elsewhere-1`);
    expect(error?.message).toContain("gone for good, open it with takeOverFrom: 'elsewhere-1'");
    expect(await faultOf(lockFor(path, 'elsewhere-2'))).toBe('owned');
    await (await lockFor(path, 'elsewhere-1'))();
  });

  it('of a process that lives here is respected whatever somebody says', async () => {
    const unlock = await lockFor(path);
    expect(await faultOf(lockFor(path, hostname()))).toBe('owned');
    await unlock();
  });

  it.each(['', '{}', '{"id":"../../x","pid":1}', 'null'])(
    'that says %s is nobody’s to break',
    async (text) => {
      await writeFile(`${path}.lock`, text);
      const error = await errorOf(lockFor(path));
      expect(error).toMatchObject({ fault: 'owned' });
      expect(error?.message).toContain(`has a lock that can't be read, ${path}.lock`);
      expect(await readdir(folder)).toEqual(['bids.journal.lock']);
    },
  );

  it('needs a directory', async () => {
    expect(await faultOf(lockFor(join(folder, 'none', 'bids.journal')))).toBe('unavailable');
  });
});

describe('many who find a stale lock at once', () => {
  it('are one who wins, time and again', async () => {
    for (let round = 0; round < 25; round += 1) {
      const stale = await lockOf({ pid: NOBODY });
      // Sometimes one died in the middle of breaking it, and one in the middle of breaking that.
      if (round % 3 > 0) {
        const second = await lockOf({ pid: NOBODY }, `${path}.lock.${stale.id}`);
        if (round % 3 > 1) await lockOf({ pid: NOBODY }, `${path}.lock.${second.id}`);
      }
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockFor(path)));
      const won = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []));
      const faults = tries.flatMap((tried) => (tried.status === 'rejected' ? [tried.reason.fault] : []));
      expect([won.length, faults]).toEqual([1, new Array(7).fill('owned')]);
      await won[0]?.();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('never break the lock of who came first, though they knew the stale one', async () => {
    // Each is held up at another step by the others: whoever wins, it is one at a time.
    let holders = 0;
    let most = 0;
    await lockOf({ pid: NOBODY });
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let tries = 0; tries < 6; tries += 1) {
          const unlock = await lockFor(path).catch(() => undefined);
          if (unlock === undefined) continue;
          holders += 1;
          most = Math.max(most, holders);
          await new Promise((resolve) => setImmediate(resolve));
          holders -= 1;
          await unlock();
        }
      }),
    );
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a sign of life', () => {
  it('is seen as long as it is given, and no longer', async () => {
    const address = join(folder, '.life');
    expect(await answers(address)).toBeUndefined();
    const silence = await giveSign(address);
    expect(await answers(address)).toBe(true);
    await silence?.();
    expect(await answers(address)).toBeUndefined();
  });

  it('is over where a process left its socket behind, and unknown where it is none', async () => {
    const address = join(folder, '.life');
    await leftSocket(address);
    expect(await answers(address)).toBe(false);
    await writeFile(join(folder, 'plain'), '');
    expect(await answers(join(folder, 'plain'))).not.toBe(true);
  });

  it('is not given where the address would be too long, or is in use', async () => {
    expect(await giveSign(join(folder, 'x'.repeat(120)))).toBeUndefined();
    const address = join(folder, '.life');
    const silence = await giveSign(address);
    expect(await giveSign(address)).toBeUndefined();
    await silence?.();
  });
});

describe('two processes', () => {
  it('can not have a journal at once, and the second has it when the first was killed', async () => {
    const child = fork(new URL('holder.ts', import.meta.url), [path], { execArgv: ['--import', 'tsx'] });
    const [said] = await once(child, 'message');
    expect(said).toBe('open');
    const error = await errorOf(fileJournal(path).open());
    expect(error).toMatchObject({ fault: 'owned' });
    expect(error?.message).toContain(`is open in process ${child.pid} on host ${hostname()}`);

    child.kill('SIGKILL');
    await once(child, 'exit');
    const journal = fileJournal(path);
    expect(await standings(journal)).toEqual(['key-1 prepared']);
    await make(journal, 'key-2');
    await journal.close();
    expect(await readdir(folder)).toEqual(['bids.journal']);
  });
});

/** When a process began, as its status says. */
async function beganOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status.replace(/^.*\) /s, '').split(' ')[19] ?? '';
}

/** A socket whose process was killed: it is there, and nobody answers. */
async function leftSocket(address: string): Promise<void> {
  const code = `require('net').createServer().listen(${JSON.stringify(address)}, () => process.kill(process.pid, 'SIGKILL'))`;
  const child = fork('-e', [code], { execPath: process.execPath, execArgv: [], stdio: 'ignore' });
  await once(child, 'exit');
}
