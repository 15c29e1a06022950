import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf } from './faults.js';
import { answers } from './sign-of-life.js';

/** Who has a journal open, as its lock says. */
export interface Owner {
  /** Of this one opening. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Unix ms. */
  readonly since: number;
  /** Whether a socket answers as long as the owner lives. */
  readonly listens: boolean;
  /** Of the running system: another one after a restart of the machine. Known on Linux only, as all that follows. */
  readonly boot?: string;
  /** In which the pid means this process, and no other. */
  readonly pidNamespace?: string;
  /** When the process began, in ticks since the system did: pids are used again. */
  readonly began?: string;
}

/** This process, as the owner of one opening. */
export async function thisProcess(): Promise<Omit<Owner, 'listens'>> {
  const [boot, pidNamespace, began] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
    beginningOf('self'),
  ]);
  return {
    id: randomBytes(8).toString('hex'),
    pid: process.pid,
    host: hostname(),
    since: Date.now(),
    ...(boot !== '' && { boot: boot.trim() }),
    ...(pidNamespace !== '' && { pidNamespace }),
    ...(began !== undefined && { began }),
  };
}

/** Whether an owner that lives is another opening of this very process; in another container the pid says nothing. */
export function isThisProcess(owner: Owner, here: Omit<Owner, 'listens'>): boolean {
  const marks = ['pid', 'host', 'boot', 'pidNamespace', 'began'] as const;
  return marks.every((mark) => owner[mark] === here[mark]);
}

/**
 * Whether an owner lives; `elsewhere` where that can't be known from here. No time of a file is asked for, so neither a
 * process that was suspended nor a clock that was set makes anybody look dead.
 *
 * @param socket where it listens, if it does
 */
export async function standingOf(
  owner: Owner,
  here: Omit<Owner, 'listens'>,
  socket: string,
): Promise<'lives' | 'gone' | 'elsewhere'> {
  const knowsBoot = owner.boot !== undefined && here.boot !== undefined;
  const isSameSystem = knowsBoot ? owner.boot === here.boot : owner.host === here.host;
  // The machine was restarted since, or it is another one.
  if (!isSameSystem) return knowsBoot && owner.host === here.host ? 'gone' : 'elsewhere';
  const answer = owner.listens ? await answers(socket) : undefined;
  if (answer !== undefined) return answer ? 'lives' : 'gone';
  // In another container the pid is another process, or none.
  if (owner.pidNamespace !== here.pidNamespace) return 'elsewhere';
  if (!isRunning(owner.pid)) return 'gone';
  const began = await beginningOf(String(owner.pid));
  return began !== undefined && owner.began !== undefined && began !== owner.began ? 'gone' : 'lives';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** The 22nd field of its status; what is in brackets before it, the name, may hold blanks. */
async function beginningOf(process: string): Promise<string | undefined> {
  const status = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '');
  return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
}
