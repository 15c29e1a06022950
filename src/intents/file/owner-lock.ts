import { link, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { JournalError } from '../../errors/journal.js';
import { codeOf, unavailable, unsafePlace } from './faults.js';
import { isThisProcess, type Owner, standingOf, thisProcess } from './owner.js';
import { giveSign } from './sign-of-life.js';

/**
 * Takes a journal for this process and this one opening. A lock whose owner is gone is taken over; of those who find it
 * so at the same time, one wins.
 *
 * @param takeOverFrom the host whose lock is broken though nobody can see from here whether its owner lives
 * @returns what gives it back
 * @throws JournalError `owned`, `unsafe_place`, `unavailable`
 */
export async function lockFor(path: string, takeOverFrom?: string): Promise<() => Promise<void>> {
  const here = await thisProcess();
  const silence = await giveSign(socketOf(path, here.id));
  const owner: Owner = { ...here, listens: silence !== undefined };
  const lock = new OwnerLock(path, owner, takeOverFrom);
  try {
    await lock.take();
  } catch (error) {
    await silence?.();
    throw error instanceof JournalError ? error : unavailable(path, 'locked', error);
  }
  return async () => {
    // As long as the socket answers nobody breaks the lock, so it is ours until it is gone.
    try {
      await lock.giveBack();
    } finally {
      await silence?.();
    }
  };
}

class OwnerLock {
  readonly #path: string;
  readonly #owner: Owner;
  readonly #takeOverFrom: string | undefined;
  readonly #name: string;
  /** Holds what every lock of ours says: a lock is a second name of it, so that none is ever seen half written. */
  readonly #draft: string;

  constructor(path: string, owner: Owner, takeOverFrom: string | undefined) {
    this.#path = path;
    this.#owner = owner;
    this.#takeOverFrom = takeOverFrom;
    this.#name = `${path}.lock`;
    this.#draft = this.#draftOf(owner.id);
  }

  async take(): Promise<void> {
    try {
      await this.#write();
      await this.#takeName(this.#name);
    } finally {
      await unlink(this.#draft).catch(() => undefined);
    }
  }

  async giveBack(): Promise<void> {
    const found = await this.#read(this.#name).catch(() => undefined);
    if (found?.id === this.#owner.id) await unlink(this.#name);
  }

  async #takeName(name: string): Promise<void> {
    for (;;) {
      if (await this.#linked(name)) return;
      const owner = await this.#read(name);
      if (owner === undefined) continue;
      await this.#checkGone(owner);
      // A stale lock is broken only by who holds another one, named after it and it alone. Whoever found it stale but
      // comes later gets that one too, and then finds that the stale one is there no more.
      const right = `${this.#name}.${owner.id}`;
      await this.#takeName(right);
      try {
        if ((await this.#read(name))?.id !== owner.id) continue;
        await this.#replace(name);
        await this.#clearUp(owner);
        return;
      } finally {
        await unlink(right);
      }
    }
  }

  async #checkGone(owner: Owner): Promise<void> {
    const standing = await standingOf(owner, this.#owner, socketOf(this.#path, owner.id));
    if (standing === 'gone' || (standing === 'elsewhere' && owner.host === this.#takeOverFrom)) return;
    throw owned(this.#path, owner, isThisProcess(owner, this.#owner) ? 'here' : standing);
  }

  /** Durably, so that after a power cut no lock says nothing. */
  async #write(): Promise<void> {
    const file = await open(this.#draft, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(this.#owner));
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #linked(name: string): Promise<boolean> {
    try {
      await link(this.#draft, name);
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') return false;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
      throw unsafePlace(
        this.#path,
        `lies on a file system without hard links (${code}), so it can't be locked`,
        'Put it on another file system, such as ext4, xfs or APFS.',
        error,
      );
    }
  }

  async #replace(name: string): Promise<void> {
    const second = `${this.#draft}.2`;
    await link(this.#draft, second);
    await rename(second, name);
  }

  /** What is left of somebody who could not clear up himself. */
  async #clearUp({ id }: Owner): Promise<void> {
    for (const name of [socketOf(this.#path, id), this.#draftOf(id), `${this.#draftOf(id)}.2`]) {
      await unlink(name).catch(() => undefined);
    }
  }

  #draftOf(id: string): string {
    return `${this.#name}.${id}.draft`;
  }

  /** @returns undefined where it was given back in the meantime */
  async #read(name: string): Promise<Owner | undefined> {
    let text: string;
    try {
      text = await readFile(name, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    const owner = ownerIn(text);
    if (owner !== undefined) return owner;
    throw new JournalError({
      fault: 'owned',
      what: `The journal ${this.#path} has a lock that can't be read, ${name}.`,
      nextStep: 'Make sure that no process uses the journal, then delete the lock.',
    });
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    const owner: Owner = JSON.parse(text);
    return /^[0-9a-f]{16}$/.test(owner.id) && Number.isInteger(owner.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}

function owned(path: string, owner: Owner, where: 'here' | 'lives' | 'elsewhere'): JournalError {
  const { pid, host, since } = owner;
  const who = where === 'here' ? 'this process' : `process ${pid}`;
  const nextSteps = {
    here: 'Another journal object of this process has it open: share that one among clients, or close() it first.',
    lives: 'Use one client for it, or give each process a journal of its own.',
    elsewhere: `If that host is gone for good, open it with takeOverFrom: '${host}'.`,
  };
  return new JournalError({
    fault: 'owned',
    what: `The journal ${path} is open in ${who} on host ${host}, since ${new Date(since).toISOString()}.`,
    nextStep: nextSteps[where],
  });
}

/** Short, because an address is: 17 characters behind the directory. */
function socketOf(path: string, id: string): string {
  return join(dirname(path), `.${id}`);
}
