import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { StoreProcess } from './store.js';

/** Without a sign for this long, a process that cannot be checked from here counts as gone. */
const SILENCE_MS = 15_000;

const PLACE = Symbol.for('vehicle-auction-sdk.process');

/** This process, as all stores in it name it. The same object for every copy of this module. */
export function thisProcess(): StoreProcess {
  const shared = globalThis as typeof globalThis & { [PLACE]?: StoreProcess };
  shared[PLACE] ??= processWith(newId());
  return shared[PLACE];
}

function processWith(own: string): StoreProcess {
  const [ownHost] = own.split('/');
  return {
    id: own,
    isGone(id, silentMs) {
      if (id === own) return false;
      const [host, pid, started] = id.split('/');
      const alive = host === ownHost ? isRunning(Number(pid), started) : undefined;
      return alive === undefined ? silentMs > SILENCE_MS : !alive;
    },
  };
}

/** `host/pid/start/random`. */
function newId(): string {
  return [hostName(), process.pid, startOf('self') ?? '', randomBytes(6).toString('hex')].join('/');
}

/**
 * The host within which a pid means one process. Containers can share a host name and not their pids, and after a
 * restart of the machine pids begin again, so both are part of it where they can be read (on Linux).
 */
function hostName(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pids = attempt(() => readlinkSync('/proc/self/ns/pid'));
  const digest = createHash('sha256').update(`${boot} ${pids}`).digest('hex').slice(0, 8);
  return `${hostname().replaceAll('/', '_')}-${digest}`;
}

/** Undefined where it cannot be known: the pid is in use, perhaps by another process. */
function isRunning(pid: number, started: string | undefined): boolean | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted: it exists.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const now = startOf(String(pid));
  return now === undefined || started === undefined || started === '' ? undefined : now === started;
}

/** When a process began, in ticks since the system did: pids are used again. Known on Linux only. */
function startOf(pid: string): string | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The 22nd field. The 2nd, the name in brackets, may hold blanks.
  return status?.slice(status.lastIndexOf(')') + 2).split(' ')[19];
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
