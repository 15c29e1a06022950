import type { Disk, DiskFile } from '../../src/intents/file/disk.js';

/** An integer from 0 to below `below`: where a simulation draws lots. */
export type Choose = (below: number) => number;

export type DiskOperation = keyof Disk | keyof DiskFile;

/** The disk as one process sees it. What a dead process asked for never answers, and has no effect. */
export interface DiskProcess extends Disk {
  /** Ends the process and keeps what the system holds for it; of a write under way, any first part may be written. */
  kill(choose?: Choose): void;
}

/** Torn writes are torn at multiples of this many bytes, or cut at any byte. */
const SECTOR = 512;

/**
 * A disk with a cache that a power cut loses: `crash()` keeps of everything that wasn't synced all, nothing, a first
 * part, or some sectors of it; a new, renamed or removed name is kept or lost unless its directory was synced.
 *
 * It is a `Disk` itself, for tests with one process at a time; `process()` gives each of several its own.
 */
export class VirtualDisk implements Disk {
  /** Bytes that can still be written before ENOSPC. */
  room = Number.POSITIVE_INFINITY;
  /** Called before an operation has its effect: may wait, or throw in its place. */
  before: ((operation: DiskOperation, path: string) => void | Promise<void>) | undefined;
  /** Called after an operation had its effect, and before anybody knows. */
  after: ((operation: DiskOperation, path: string) => void | Promise<void>) | undefined;
  /** Every operation that had an effect or failed, such as `append journal 120`. */
  readonly log: string[] = [];

  #names = new Map<string, Inode>();
  readonly #durableNames = new Map<string, Inode>();
  #unsyncedNames: NameChange[] = [];
  readonly #processes = new Set<Process>();
  #faults: { operation: DiskOperation; code: string; skip: number }[] = [];
  #main = this.process();

  process(): DiskProcess {
    const process = new Process(this.#medium);
    this.#processes.add(process);
    return process;
  }

  /** Makes one operation fail, after `skip` of its kind that don't. A failed sync drops what it was to make durable. */
  fail(operation: DiskOperation, code: string, skip = 0): void {
    this.#faults.push({ operation, code, skip });
  }

  /** The power fails: every process ends, and what wasn't synced is at the mercy of `choose`. */
  crash(choose: Choose): void {
    this.kill(choose);
    for (const { apply } of this.#unsyncedNames) if (choose(2) === 1) apply(this.#durableNames);
    this.#unsyncedNames = [];
    this.#names = new Map(this.#durableNames);
    for (const inode of new Set(this.#names.values())) inode.crash(choose);
  }

  /** Every process ends; what the system holds is kept. */
  kill(choose: Choose = () => 0): void {
    for (const process of this.#processes) process.kill(choose);
    this.#processes.clear();
    this.#main = this.process();
  }

  /** What reads see; undefined where there is no such file. */
  bytes(path: string): Uint8Array | undefined {
    return this.#names.get(path)?.content.slice();
  }

  /** Puts a file there, durable, in the place of any other. */
  put(path: string, bytes: Uint8Array): void {
    const inode = new Inode(path, bytes);
    this.#names.set(path, inode);
    this.#durableNames.set(path, inode);
  }

  /** Cuts a file, as somebody else might, whoever has it open. */
  cut(path: string, length: number): void {
    this.#names.get(path)?.cut(length);
  }

  get paths(): string[] {
    return [...this.#names.keys()].sort();
  }

  /** How many operations of this kind there were. */
  count(operation: DiskOperation): number {
    return this.log.filter((line) => line.startsWith(`${operation} `)).length;
  }

  open(path: string): Promise<DiskFile> {
    return this.#main.open(path);
  }

  create(path: string): Promise<DiskFile> {
    return this.#main.create(path);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#main.rename(from, to);
  }

  remove(path: string): Promise<void> {
    return this.#main.remove(path);
  }

  syncDirectory(ofPath: string): Promise<void> {
    return this.#main.syncDirectory(ofPath);
  }

  get #medium(): Medium {
    return {
      before: async (operation, path) => await this.before?.(operation, path),
      after: async (operation, path) => await this.after?.(operation, path),
      fault: (operation, line) => {
        this.log.push(line);
        return this.#faultOf(operation);
      },
      inode: (path) => this.#names.get(path),
      change: (change) => {
        change.apply(this.#names);
        this.#unsyncedNames.push(change);
      },
      syncDirectory: (directory) => {
        for (const change of this.#unsyncedNames) {
          if (change.directory === directory) change.apply(this.#durableNames);
        }
        this.#unsyncedNames = this.#unsyncedNames.filter((change) => change.directory !== directory);
      },
      take: (bytes) => {
        const taken = Math.min(bytes, this.room);
        this.room -= taken;
        return taken;
      },
    };
  }

  #faultOf(operation: DiskOperation): string | undefined {
    const fault = this.#faults.find((one) => one.operation === operation);
    if (fault === undefined) return undefined;
    if (fault.skip > 0) {
      fault.skip -= 1;
      return undefined;
    }
    this.#faults = this.#faults.filter((one) => one !== fault);
    return fault.code;
  }
}

interface NameChange {
  readonly directory: string;
  readonly apply: (names: Map<string, Inode>) => void;
}

/** What processes share. */
interface Medium {
  before(operation: DiskOperation, path: string): Promise<void>;
  after(operation: DiskOperation, path: string): Promise<void>;
  /** The code of the error that strikes the operation, if one does. */
  fault(operation: DiskOperation, line: string): string | undefined;
  inode(path: string): Inode | undefined;
  change(change: NameChange): void;
  syncDirectory(directory: string): void;
  /** How many of these bytes there is room for. */
  take(bytes: number): number;
}

class Process implements DiskProcess {
  readonly #medium: Medium;
  #alive = true;
  readonly #writing = new Set<{ readonly inode: Inode; readonly bytes: Uint8Array }>();

  constructor(medium: Medium) {
    this.#medium = medium;
  }

  kill(choose: Choose = () => 0): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const { inode, bytes } of this.#writing) inode.append(bytes.subarray(0, choose(bytes.length + 1)));
  }

  open(path: string): Promise<DiskFile> {
    return this.#run('open', path, '', () => {
      const inode = this.#medium.inode(path);
      if (inode === undefined) throw systemError('ENOENT', 'open', path);
      return this.#file(inode);
    });
  }

  create(path: string): Promise<DiskFile> {
    return this.#run('create', path, '', () => {
      if (this.#medium.inode(path) !== undefined) throw systemError('EEXIST', 'create', path);
      const inode = new Inode(path, new Uint8Array());
      this.#medium.change({ directory: directoryOf(path), apply: (names) => void names.set(path, inode) });
      return this.#file(inode);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#run('rename', from, to, () => {
      const inode = this.#medium.inode(from);
      if (inode === undefined) throw systemError('ENOENT', 'rename', from);
      const apply = (names: Map<string, Inode>) => {
        names.set(to, inode);
        names.delete(from);
      };
      inode.path = to;
      this.#medium.change({ directory: directoryOf(to), apply });
    });
  }

  remove(path: string): Promise<void> {
    return this.#run('remove', path, '', () => {
      if (this.#medium.inode(path) === undefined) throw systemError('ENOENT', 'remove', path);
      this.#medium.change({ directory: directoryOf(path), apply: (names) => void names.delete(path) });
    });
  }

  syncDirectory(ofPath: string): Promise<void> {
    return this.#run('syncDirectory', ofPath, '', () => this.#medium.syncDirectory(directoryOf(ofPath)));
  }

  #file(inode: Inode): DiskFile {
    return {
      size: () => this.#run('size', inode.path, '', () => inode.content.length),
      read: (position, length) =>
        this.#run('read', inode.path, `${position} ${length}`, () =>
          inode.content.slice(position, position + length),
        ),
      append: async (bytes) => {
        const write = { inode, bytes: bytes.slice() };
        this.#writing.add(write);
        try {
          await this.#run('append', inode.path, `${bytes.length}`, () => {
            this.#writing.delete(write);
            const taken = this.#medium.take(bytes.length);
            inode.append(write.bytes.subarray(0, taken));
            if (taken < bytes.length) throw systemError('ENOSPC', 'append', inode.path);
          });
        } finally {
          this.#writing.delete(write);
        }
      },
      sync: () =>
        this.#run(
          'sync',
          inode.path,
          '',
          () => inode.sync(),
          () => inode.failSync(),
        ),
      close: () => this.#run('close', inode.path, '', () => undefined),
    };
  }

  async #run<T>(
    operation: DiskOperation,
    path: string,
    detail: string,
    effect: () => T,
    onFault?: () => void,
  ): Promise<T> {
    if (!this.#alive) return never();
    await this.#medium.before(operation, path);
    if (!this.#alive) return never();
    const code = this.#medium.fault(operation, `${operation} ${path} ${detail}`.trimEnd());
    if (code !== undefined) {
      onFault?.();
      throw systemError(code, operation, path);
    }
    const result = effect();
    await this.#medium.after(operation, path);
    return this.#alive ? result : never();
  }
}

interface Write {
  readonly position: number;
  /** Absent where the file was cut at the position. */
  readonly bytes?: Uint8Array;
  /** A sync failed on it: no later sync writes it. */
  readonly dropped: boolean;
}

class Inode {
  /** Its last name, for the log. */
  path: string;
  /** What reads see. */
  content: Uint8Array;
  #durable: Uint8Array;
  #unsynced: Write[] = [];

  constructor(path: string, bytes: Uint8Array) {
    this.path = path;
    this.content = bytes.slice();
    this.#durable = bytes.slice();
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#write({ position: this.content.length, bytes, dropped: false });
  }

  cut(length: number): void {
    this.#write({ position: length, dropped: false });
  }

  sync(): void {
    for (const write of this.#unsynced) if (!write.dropped) this.#durable = applied(this.#durable, write);
    this.#unsynced = this.#unsynced.filter(({ dropped }) => dropped);
  }

  failSync(): void {
    this.#unsynced = this.#unsynced.map((write) => ({ ...write, dropped: true }));
  }

  crash(choose: Choose): void {
    const kept = this.#unsynced.length === 0 ? [] : keptOf(this.#unsynced, choose);
    this.#durable = kept.reduce(applied, this.#durable);
    this.content = this.#durable.slice();
    this.#unsynced = [];
  }

  #write(write: Write): void {
    this.content = applied(this.content, write);
    this.#unsynced.push(write);
  }
}

/** What a power cut leaves of unsynced writes: nothing, all, a first part cut at any byte, or sectors here and there. */
function keptOf(writes: readonly Write[], choose: Choose): Write[] {
  const way = choose(4);
  if (way === 0) return [];
  if (way === 1) return [...writes];
  if (way === 2) {
    const whole = choose(writes.length);
    const next = writes[whole];
    const first = next?.bytes?.subarray(0, choose(next.bytes.length + 1));
    const rest = next === undefined || first === undefined ? [] : [{ ...next, bytes: first }];
    return [...writes.slice(0, whole), ...rest];
  }
  return writes.flatMap((write) =>
    write.bytes === undefined ? (choose(2) === 1 ? [write] : []) : [inSectors(write, write.bytes, choose)],
  );
}

/** A write of which some sectors were written, and others hold zeros or whatever was on the disk before. */
function inSectors(write: Write, bytes: Uint8Array, choose: Choose): Write {
  const torn = bytes.slice();
  for (let at = 0; at < torn.length; ) {
    const end = Math.min(torn.length, at + SECTOR - ((write.position + at) % SECTOR));
    const way = choose(4);
    if (way === 2) torn.fill(0, at, end);
    if (way === 3) for (let byte = at; byte < end; byte += 1) torn[byte] = choose(256);
    at = end;
  }
  return { ...write, bytes: torn };
}

function applied(content: Uint8Array, { position, bytes }: Write): Uint8Array {
  if (bytes === undefined) return content.slice(0, position);
  const whole = new Uint8Array(Math.max(content.length, position + bytes.length));
  whole.set(content);
  whole.set(bytes, position);
  return whole;
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function systemError(code: string, operation: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${operation} ${path}`), { code });
}

function never(): Promise<never> {
  return new Promise(() => {});
}
