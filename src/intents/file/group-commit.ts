import type { JournalError } from '../../errors/journal.js';
import type { DiskFile } from './disk.js';
import { foreignWrite, writeFault } from './faults.js';
import { encodeGroup } from './format.js';

/** A file that groups are appended to, and how far it is. */
export interface GroupFile {
  readonly path: string;
  readonly file: DiskFile;
  readonly tag: number;
  /** Bytes of it that are ours: all of them. */
  size: number;
  /** Of its last group, 0 without one. */
  sequence: number;
}

/** How far things are at the opening. */
interface CommitBegin {
  /** What goes in front of the first group. */
  readonly preface?: Buffer | undefined;
  /** Why nothing can be written. */
  readonly stopped?: JournalError | undefined;
  /** Whether the file was written anew. */
  readonly hasWritten?: boolean | undefined;
}

interface Waiting {
  readonly record: Buffer | undefined;
  readonly onDurable: () => void;
  readonly onFault: (error: JournalError) => void;
}

/**
 * Appends records and syncs them: whatever comes while a sync is under way shares the next group, with one write and
 * one sync. After a failure it has stopped for good, because nothing is known of what a failed sync left behind.
 */
export class GroupCommit {
  #target: GroupFile;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #stopped: JournalError | undefined;
  #between: (() => Promise<void>) | undefined;
  #preface: Buffer | undefined;
  #hasWritten: boolean;
  /** Records since `startRecording()`, as far as they weren't taken. */
  #recorded: Buffer[] | undefined;

  constructor(target: GroupFile, begin: CommitBegin = {}) {
    this.#target = target;
    this.#preface = begin.preface;
    this.#stopped = begin.stopped;
    this.#hasWritten = begin.hasWritten ?? false;
  }

  /** Of the file, in bytes. */
  get size(): number {
    return this.#target.size;
  }

  /** Why it has stopped, where it has. */
  get stopped(): JournalError | undefined {
    return this.#stopped;
  }

  /** Whether the preface is still to be written. */
  get hasPreface(): boolean {
    return this.#preface !== undefined;
  }

  /** Whether anything was written since the opening. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /**
   * Makes a record durable, or the preface alone. `onDurable` is called before anybody else learns of it.
   *
   * @throws JournalError `full`, `sync_failed`, `foreign_write`
   */
  write<T>(record: Buffer | undefined, onDurable: () => T): Promise<T> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      const durable = () => {
        try {
          resolve(onDurable());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ record, onDurable: durable, onFault: reject });
      this.#running ??= this.#run();
    });
  }

  /** Keeps a copy of every record from now on, until `stopRecording()`. */
  startRecording(): void {
    this.#recorded = [];
  }

  /** The records since `startRecording()`, or since the last call. */
  takeRecorded(): Buffer[] {
    const recorded = this.#recorded ?? [];
    this.#recorded = [];
    return recorded;
  }

  stopRecording(): void {
    this.#recorded = undefined;
  }

  /** Lets another file take the place of this one: `work` runs between two groups, and says which. */
  between(work: () => Promise<GroupFile>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#between = async () => {
        try {
          const { file } = this.#target;
          this.#target = await work();
          await file.close().catch(() => undefined);
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      this.#running ??= this.#run();
    });
  }

  /** Stops for good: what waits, and whatever comes, is rejected with this. */
  stop(error: JournalError): void {
    this.#stopped ??= error;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { onFault } of waiting) onFault(error);
  }

  /** Waits for what is under way; then the file is nobody's. */
  async end(): Promise<GroupFile> {
    while (this.#running !== undefined) await this.#running;
    return this.#target;
  }

  async #run(): Promise<void> {
    // Everybody who can go on at once is given the chance to, so that all of them share the group.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    while (this.#waiting.length > 0 || this.#between !== undefined) {
      const between = this.#between;
      this.#between = undefined;
      if (between !== undefined) await between();
      if (this.#waiting.length > 0) await this.#commit();
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#running = undefined;
  }

  async #commit(): Promise<void> {
    const group = this.#waiting;
    this.#waiting = [];
    const records = group.flatMap(({ record }) => record ?? []);
    const preface = this.#preface;
    if (preface !== undefined) records.unshift(preface);
    try {
      await this.#append(records);
    } catch (error) {
      const fault = this.#stopped ?? writeFault(this.#target.path, error);
      this.stop(fault);
      for (const { onFault } of group) onFault(fault);
      return;
    }
    this.#preface = undefined;
    this.#hasWritten = true;
    this.#recorded?.push(...records);
    for (const { onDurable } of group) onDurable();
  }

  async #append(records: readonly Buffer[]): Promise<void> {
    const target = this.#target;
    const bytes = encodeGroup(records, target.sequence + 1, target.tag);
    await this.#checkSize(target.size);
    await target.file.append(bytes);
    await target.file.sync();
    await this.#checkSize(target.size + bytes.length);
    target.size += bytes.length;
    target.sequence += 1;
  }

  async #checkSize(expected: number): Promise<void> {
    const found = await this.#target.file.size();
    if (found === expected) return;
    this.#stopped = foreignWrite(this.#target.path, expected, found);
    throw this.#stopped;
  }
}
