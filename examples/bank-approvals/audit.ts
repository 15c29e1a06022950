import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAmount } from 'vehicle-auction-sdk';
import { type Action, type Command, doneState } from './command.js';

/** Written before a command leaves: what is decided, on what, and why. */
export type Before = Command & {
  readonly event: 'before';
  /** What it is about: a sale, or an entry of a bank account. */
  readonly about: string;
  /** What it is worth, INR decimal string. */
  readonly amount: string;
  readonly why: string;
};

/** The lines before commands of these kinds. */
export type BeforeOf<A extends Action> = Extract<Before, { readonly action: A }>;

/**
 * What came of a command: `done`; `waiting`, taken and perhaps for a second person to confirm; `conflict`, the record
 * had moved on; `refused`; `not_sent`; or `unknown`, to be settled by the next run.
 */
export type Outcome = 'done' | 'waiting' | 'conflict' | 'refused' | 'not_sent' | 'unknown';

/** Written when it is known what came of a command. */
export interface After {
  readonly event: 'after';
  readonly about: string;
  /** The idempotency key of the line before. */
  readonly key: string;
  readonly outcome: Outcome;
  /** Id, state and version of the record that came back. */
  readonly record?: string;
  readonly state?: string;
  readonly version?: number;
  /** The service's id of the request. */
  readonly request?: string | undefined;
  readonly note?: string;
}

/** Written when nothing is sent, because a person has to decide. */
export interface Held {
  readonly event: 'held';
  readonly about: string;
  readonly version: number;
  readonly why: string;
}

export type Entry = Before | After | Held;

/** A command, and the latest that is known of it. */
export interface Trail {
  readonly before: Before;
  readonly after: After | undefined;
}

/** The audit can't be read or written. Whatever was about to be sent is not sent. */
export class AuditError extends Error {
  override readonly name = 'AuditError';
}

/** A file of JSON lines that only grows. It is also what a later run knows of the earlier ones. */
export class Audit {
  readonly #trails = new Map<string, Trail>();
  readonly #held = new Map<string, Held>();
  readonly #file: FileHandle | undefined;
  #isWritable: boolean;

  private constructor(entries: readonly Entry[], file?: FileHandle) {
    this.#file = file;
    this.#isWritable = file !== undefined;
    for (const entry of entries) this.#remember(entry);
  }

  /** Opens the file to go on with it, or a new one. @throws AuditError */
  static async open(path: string): Promise<Audit> {
    const file = await attempt(`open ${path}`, () => open(path, 'a+', 0o600));
    try {
      const bytes = await attempt(`read ${path}`, () => file.readFile());
      const whole = wholeLines(bytes);
      if (whole.length < bytes.length) {
        await attempt(`mend ${path}`, () => file.truncate(whole.length));
      }
      await attempt(`keep ${path}`, () => syncFolder(dirname(path)));
      return new Audit(entriesOf(whole, path), file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads the file, which may not be there yet, and writes nothing: for a dry run. @throws AuditError */
  static async read(path: string): Promise<Audit> {
    const bytes = await attempt(`read ${path}`, () => readFile(path).catch(emptyIfAbsent));
    return new Audit(entriesOf(wholeLines(bytes), path));
  }

  /** What was sent about a sale or an entry, oldest first. */
  trails(about: string, action: Action): Trail[] {
    return [...this.#trails.values()].filter(
      ({ before }) => before.about === about && before.action === action,
    );
  }

  /** Commands that may or may not have arrived, oldest first: what came of them is unknown, or was never written. */
  inDoubt<A extends Action>(...actions: readonly A[]): BeforeOf<A>[] {
    const wanted: readonly string[] = actions;
    return [...this.#trails.values()]
      .filter(({ after }) => after === undefined || after.outcome === 'unknown')
      .map(({ before }) => before)
      .filter((before): before is BeforeOf<A> => wanted.includes(before.action));
  }

  /** Notes that a person has to decide; once for each version and reason. @throws AuditError */
  async hold(about: string, version: number, why: string): Promise<void> {
    const last = this.#held.get(about);
    if (last?.version === version && last.why === why) return;
    await this.write({ event: 'held', about, version, why });
  }

  /** Adds a line, and returns when it is on the disk. @throws AuditError, from then on always */
  async write(entry: Entry): Promise<void> {
    const file = this.#file;
    if (file === undefined || !this.#isWritable)
      throw new AuditError('The audit can not be written any more.');
    this.#isWritable = false;
    await attempt('write the audit', async () => {
      await file.appendFile(`${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
      await file.sync();
    });
    this.#isWritable = true;
    this.#remember(entry);
  }

  async close(): Promise<void> {
    this.#isWritable = false;
    await this.#file?.close();
  }

  #remember(entry: Entry): void {
    if (entry.event === 'held') {
      this.#held.set(entry.about, entry);
    } else if (entry.event === 'before') {
      this.#trails.set(entry.body.idempotency_key, { before: entry, after: undefined });
    } else {
      const trail = this.#trails.get(entry.key);
      if (trail !== undefined) this.#trails.set(entry.key, { ...trail, after: entry });
    }
  }
}

/**
 * A crash can cut the last line short. If it was to come before a request, nothing was sent; if after one, the next run
 * finds out again.
 */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}

function entriesOf(bytes: Buffer, path: string): Entry[] {
  const lines = bytes.toString().split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const entry = parsed(line);
    if (!isEntry(entry)) throw new AuditError(`${path}:${index + 1} is not a line of this audit.`);
    return entry;
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What a body holds beside its key is checked by the client, when it is sent again. */
function isEntry(value: unknown): value is Entry {
  const { event, about, action, id, amount, body, key, outcome, version, why } = Object(value);
  if (typeof about !== 'string') return false;
  if (event === 'after') return typeof key === 'string' && typeof outcome === 'string';
  if (event === 'held') return typeof version === 'number' && typeof why === 'string';
  const isCommand = typeof action === 'string' && Object.hasOwn(doneState, action) && typeof id === 'string';
  const isKeyed = typeof Object(body).idempotency_key === 'string';
  return event === 'before' && isCommand && isKeyed && isAmount(amount) && typeof why === 'string';
}

async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new AuditError(`Could not ${what}: ${cause instanceof Error ? cause.message : 'failed'}`, {
      cause,
    });
  }
}

function emptyIfAbsent(error: NodeJS.ErrnoException): Buffer {
  if (error.code === 'ENOENT') return Buffer.alloc(0);
  throw error;
}

/** A new file lasts only once its folder is on the disk too; Windows has no such thing. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
