import type { Disk, DiskFile } from '../../../src/intents/file/disk.js';
import { openFileJournal } from '../../../src/intents/file/journal-in-file.js';
import type { Journal } from '../../../src/intents/journal.js';
import { VirtualDisk } from '../../support/virtual-disk.js';
import { type Watch, watched } from '../checks/journal-watch.js';
import type { Choices } from './choices.js';
import type { Faults } from './faults.js';
import { never, type SimulatedProcess } from './process.js';
import type { Storage } from './storage.js';
import type { Timeline } from './timeline.js';

export interface FileStorageParts {
  readonly timeline: Timeline;
  readonly choices: Choices;
  readonly faults: Faults;
  readonly watch: Watch;
}

const PATH = '/data/bids.journal';
/** A journal is rewritten from this size on, bytes: small, so that it happens. */
const COMPACT_FROM = 6_000;

/** A file journal on a disk that a power cut tears, and that can be full or broken. */
export class FileStorage implements Storage {
  readonly keepsLeases = false;
  readonly #parts: FileStorageParts;
  readonly #disk = new VirtualDisk();
  /** Files by their names: now, and after a power cut. */
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();

  constructor(parts: FileStorageParts) {
    this.#parts = parts;
    const { timeline, choices, faults } = parts;
    this.#disk.before = (operation) => {
      if (operation !== 'append' && operation !== 'sync' && operation !== 'syncDirectory') return undefined;
      const slow = faults.strikes('disk slow');
      return timeline.sleep(slow ? 100 * (1 + choices.choose('disk slowness', 50)) : 1);
    };
  }

  connect(process: SimulatedProcess): Journal {
    this.#disk.room = Number.POSITIVE_INFINITY;
    const journal = openFileJournal(PATH, {
      disk: this.#seenBy(process),
      clock: process.clock,
      pid: 1,
      locate: async (path) => path,
      lock: async () => async () => undefined,
      compactFrom: COMPACT_FROM,
    });
    // What a dead process still does in its memory, nobody ever knows.
    return watched(journal, process.name, (event) => process.isDead || this.#parts.watch(event));
  }

  holds(key: string, nonce: string): boolean {
    const { durable } = this.#durableNames.get(PATH) ?? {};
    return durable?.includes(nonce) === true && durable.includes(key);
  }

  content(): string {
    return Buffer.from(this.#disk.bytes(PATH) ?? []).toString('latin1');
  }

  powerCut(): void {
    const { choices, faults } = this.#parts;
    const before = this.#disk.bytes(PATH) ?? new Uint8Array();
    this.#disk.crash((below) => choices.choose('torn', below));
    if (Buffer.compare(before, this.#disk.bytes(PATH) ?? new Uint8Array()) !== 0) faults.note('journal torn');
    this.#names = new Map([[PATH, { durable: Buffer.from(this.#disk.bytes(PATH) ?? []), isBroken: false }]]);
    this.#durableNames = new Map(this.#names);
  }

  /** The disk as one process has it: it ends with the process, and what it says waits for it. */
  #seenBy(process: SimulatedProcess): Disk {
    const { choices } = this.#parts;
    const disk = this.#disk.process();
    process.onEnd(() => disk.kill((below) => choices.choose('written', below)));
    const read = <T>(work: () => Promise<T>) => this.#asked(process, work);
    const write = <T>(work: () => Promise<T>) => this.#changed(process, work);
    const seen = (file: DiskFile, inode: Inode): DiskFile => ({
      size: () => read(() => file.size()),
      read: (position, length) => read(() => file.read(position, length)),
      append: (bytes) => write(() => file.append(bytes)),
      sync: () => write(() => this.#synced(file, inode)),
      close: () => read(() => file.close()),
    });
    return {
      open: async (path) => {
        const file = await read(() => disk.open(path));
        return seen(file, this.#names.get(path) ?? newInode());
      },
      create: async (path) => {
        const inode = newInode();
        const file = await write(async () => {
          const made = await disk.create(path);
          this.#names.set(path, inode);
          return made;
        });
        return seen(file, inode);
      },
      rename: (from, to) =>
        write(async () => {
          await disk.rename(from, to);
          this.#names.set(to, this.#names.get(from) ?? newInode());
        }),
      remove: (path) => write(() => disk.remove(path)),
      syncDirectory: (path) =>
        write(async () => {
          await disk.syncDirectory(path);
          this.#durableNames = new Map(this.#names);
        }),
    };
  }

  async #synced(file: DiskFile, inode: Inode): Promise<void> {
    // It strikes whichever sync comes to its effect first: one of another file may be under way.
    if (this.#parts.faults.strikes('sync failed')) this.#disk.fail('sync', 'EIO');
    try {
      await file.sync();
    } catch (error) {
      inode.isBroken = true;
      throw error;
    }
    // Where a sync has failed, a later one confirms nothing of what that one was to write.
    if (!inode.isBroken) inode.durable = Buffer.from(await file.read(0, await file.size()));
  }

  async #changed<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
    if (process.crashesAt('crash before a journal write')) return never();
    if (this.#parts.faults.strikes('disk full')) this.#disk.room = this.#parts.choices.choose('room', 300);
    const result = await this.#asked(process, work);
    return process.crashesAt('crash after a journal write') ? never() : result;
  }

  async #asked<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
    if (process.isDead) return never();
    process.trouble();
    return new Promise((resolve, reject) => {
      work().then(
        (result) => process.deliver(() => resolve(result)),
        (error: unknown) => process.deliver(() => reject(error)),
      );
    });
  }
}

/** What is known of a file from outside. */
interface Inode {
  /** What syncs have confirmed. */
  durable: Buffer;
  /** A sync of it has failed. */
  isBroken: boolean;
}

function newInode(): Inode {
  return { durable: Buffer.alloc(0), isBroken: false };
}
