import { thrownCode } from '../errors/thrown.js';
import type { Clock } from '../ports/clock.js';
import { nodeModule, optionalModule } from '../runtime/node-modules.js';
import { sha256Hex } from '../signing/signer.js';
import { NOW, silenceOf, stringOf, type Unit } from './schema.js';

const { readFileSync, readlinkSync } = nodeModule('node:fs');

// Ownership of rows: a `ready` intent, the position of a follower, a webhook event. An owner is a call of an isolate of a
// process. It only decides who may take a row over; the version of a row prevents concurrent changes.

/** Identifies one isolate of one process to others on the same store. Each worker thread is a separate isolate. */
export interface StoreProcess {
  /** Host, process, thread and a random part. No two isolates have the same. */
  readonly id: string;
  /** True if the isolate with this id has ended: known at once on this host (Linux), else after 15 s without a heartbeat. */
  isGone(id: string, silence: number): boolean;
}

/** The owner of a row, as it is read. */
export interface Ownership {
  /** The isolate and call that own the row; undefined if none does. */
  readonly owner?: string | undefined;
  /** Milliseconds since the owner last saved the row or sent a heartbeat, by the store's clock. */
  readonly ownerSilence: number;
}

/** A table whose rows have owners. */
export interface OwnedTable {
  /** Records a heartbeat of this owner for all of its rows. */
  touchOwner(owner: string): Promise<void>;
}

/** The columns of an owner, to write. */
export function ownedBy(owner: string | undefined) {
  return { owner: owner ?? null, owner_seen: NOW } as const;
}

/** The columns of an owner, as they were read. */
export function ownershipOf(row: { readonly owner?: unknown; readonly silent_ms?: unknown }): Ownership {
  return { owner: stringOf(row.owner), ownerSilence: silenceOf(row) };
}

export function ownedTable(
  unit: Unit,
  name: 'intents' | 'webhook_events' | 'cursors',
  state?: 'ready' | 'pending',
): OwnedTable {
  const table = unit.table(name);
  return {
    async touchOwner(owner) {
      await table.update({ owner, ...(state !== undefined && { state }) }, { owner_seen: NOW });
    },
  };
}

/** An isolate of another host counts as ended after this time without a heartbeat, ms. */
export const SILENCE_MS = 15_000;

/** Interval between heartbeats, ms. */
export const HEARTBEAT_MS = 5_000;

export interface OwnerOptions {
  readonly process: StoreProcess;
  readonly clock: Pick<Clock, 'after'>;
  /** Saves a heartbeat in the store. Failures are ignored, because the next one follows. */
  readonly heartbeat: (owner: string) => Promise<unknown>;
}

/** A call, follower or webhook receiver that owns rows of a store until it is released. */
export class Owner {
  readonly id: string;
  readonly #options: OwnerOptions;
  #cancel: (() => void) | undefined;

  constructor(options: OwnerOptions) {
    this.id = newOwnerId(options.process);
    ownership.held.add(this.id);
    this.#options = options;
  }

  /** Starts sending heartbeats. */
  begin(): void {
    this.#cancel?.();
    const { clock, heartbeat } = this.#options;
    this.#cancel = clock.after(HEARTBEAT_MS, () => {
      heartbeat(this.id).catch(() => undefined);
      this.begin();
    });
  }

  /** Stops sending heartbeats while it owns no row. */
  rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Frees all rows that it owns. */
  release(): void {
    ownership.held.delete(this.id);
    this.rest();
  }

  /** True if no other owner has this row. */
  mayTake(row: Ownership): boolean {
    return row.owner === this.id || isFree(row, this.#options);
  }
}

/** Creates an id that is unique among all users of a store. */
export function newOwnerId(process: StoreProcess): string {
  ownership.next += 1;
  return `${process.id}#${ownership.next}`;
}

/** Names the process of an owner for a person, such as `pid 4711 on host-1`. */
export function holderOf(owner = ''): string {
  const [host = '', pid] = owner.split('/');
  return `pid ${pid} on ${host.replace(/-[0-9a-f]{8}$/, '')}`;
}

/** True if a row has no owner, or its owner has ended. */
export function isFree(
  { owner, ownerSilence }: Ownership,
  { process }: { readonly process: StoreProcess },
): boolean {
  if (owner === undefined) return true;
  const isolate = owner.slice(0, owner.lastIndexOf('#'));
  if (isolate === process.id) return !ownership.held.has(owner);
  return process.isGone(isolate, ownerSilence);
}

// One per isolate: the ESM and the CJS build are two copies of this module.
const OWNERSHIP = Symbol.for('vehicle-auction-sdk.ownership');
interface Registry {
  next: number;
  readonly held: Set<string>;
  process?: StoreProcess;
}
const registry: typeof globalThis & { [OWNERSHIP]?: Registry } = globalThis;
registry[OWNERSHIP] ??= { next: 0, held: new Set() };
const ownership = registry[OWNERSHIP];

/** This isolate. All copies of this module return the same object. */
export function thisProcess(): StoreProcess {
  ownership.process ??= processIn(linuxOrOther, {
    host: hostName(),
    pid: String(globalThis.process?.pid ?? 0),
    thread: threadId(),
    random: crypto.randomUUID().slice(-12),
  });
  return ownership.process;
}

/** Facts about processes and threads from the operating system. */
export interface System {
  /** Undefined if unknown. */
  isRunning(pid: number): boolean | undefined;
  /** Start time of a process or of one of its threads; `gone` if it has ended, undefined if unknown. */
  startOf(pid: string, thread?: string): string | 'gone' | undefined;
}

interface Isolate {
  readonly host: string;
  readonly pid: string;
  /** Empty if unknown. */
  readonly thread: string;
  readonly random: string;
}

/** An isolate. Its id is `host/pid/start/thread/start/random`, because the system reuses ids of processes and threads. */
export function processIn(system: System, { host, pid, thread, random }: Isolate): StoreProcess {
  const startOf = (of?: string) => system.startOf(pid, of) ?? '';
  const id = [host, pid, startOf(), thread, thread === '' ? '' : startOf(thread), random].join('/');
  return {
    id,
    isGone(other, silence) {
      if (other === id) return false;
      const isAlive = other.startsWith(`${host}/`) ? isIsolateAlive(system, other, id) : undefined;
      return isAlive === undefined ? silence > SILENCE_MS : !isAlive;
    },
  };
}

/** Undefined if unknown. */
function isIsolateAlive(system: System, id: string, own: string): boolean | undefined {
  const [, pid = '', started, thread, threadStarted] = id.split('/');
  const number = Number(pid);
  if (!Number.isSafeInteger(number) || number <= 0) return undefined;
  if (system.isRunning(number) === false) return false;
  const start = system.startOf(pid);
  if (start === undefined || started === undefined || started === '') return undefined;
  if (start !== started) return false;
  // Another global scope of this thread, such as a test environment: it may have ended although the thread lives.
  const isSameThread = id.slice(0, id.lastIndexOf('/')) === own.slice(0, own.lastIndexOf('/'));
  if (isSameThread || thread === undefined || thread === '') return undefined;
  const threadStart = system.startOf(pid, thread);
  return threadStart === undefined ? undefined : threadStart === threadStarted;
}

const linuxOrOther: System = {
  isRunning(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // Any other failure, such as a missing permission, shows that it exists.
      return codeOf(error) !== 'ESRCH';
    }
  },
  startOf(pid, thread) {
    try {
      const status = readFileSync(
        `/proc/${pid}/${thread === undefined ? '' : `task/${thread}/`}stat`,
        'utf8',
      );
      // The 22nd field, in ticks since the system started. The 2nd, the name in brackets, may hold blanks.
      return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
    } catch (error) {
      const hasEnded = codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH';
      return hasEnded && thread !== undefined ? 'gone' : undefined;
    }
  },
};

/** The thread that runs this isolate, as Linux counts it; empty on other systems. */
function threadId(): string {
  return orUndefined(() => readlinkSync('/proc/thread-self').split('/').at(-1)) ?? '';
}

/**
 * The host within which a pid identifies one process. Containers can share a host name and not their pids, and after a
 * restart of the machine pids begin again, so both are part of it where they can be read (on Linux).
 */
function hostName(): string {
  const boot = orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pids = orUndefined(() => readlinkSync('/proc/self/ns/pid'));
  const digest = sha256Hex(`${boot} ${pids}`).slice(0, 8);
  const name = optionalModule('node:os')?.hostname() ?? '';
  return `${name.replaceAll('/', '_')}-${digest}`;
}

function codeOf(error: unknown): string {
  return thrownCode(error) ?? '';
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
