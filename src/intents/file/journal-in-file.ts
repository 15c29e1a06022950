import { JournalError, LeaseLostError } from '../../errors/journal.js';
import { ConfigurationError } from '../../errors/local.js';
import type { Logger } from '../../ports/logger.js';
import { type Intent, subjectOf } from '../intent.js';
import type {
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  Journal,
  StoredIntent,
} from '../journal.js';
import { beginOpening, claimWhereOpen } from './claims.js';
import { Compaction } from './compaction.js';
import { codeOf, unavailable } from './faults.js';
import { encodeRecord } from './format.js';
import { KeyLocks } from './key-locks.js';
import { type OpenFile, openFile } from './open-file.js';
import type { FileJournalOptions } from './options.js';
import type { FileJournal, OpenedJournal } from './port.js';
import { type ClosedRecord, changed, idOf, made } from './records.js';
import type { Surroundings } from './surroundings.js';
import { UnderWay } from './under-way.js';

const RETENTION_MS = 30 * 86_400_000;
const COMPACT_FROM = 1 << 20;

/**
 * A journal in a file of surroundings that are given; `fileJournal()` is the one for use.
 *
 * @throws ConfigurationError
 */
export function openFileJournal(
  path: string,
  surroundings: Surroundings,
  options: Pick<FileJournalOptions, 'retentionMs' | 'logger'> = {},
): FileJournal {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw new ConfigurationError('path', 'must be the path of a file');
  }
  const { retentionMs = RETENTION_MS } = options;
  if (!Number.isFinite(retentionMs) || retentionMs < 0) {
    throw new ConfigurationError('retentionMs', 'must be a number of milliseconds, 0 or more');
  }
  return new JournalInFile(path, surroundings, { retentionMs, logger: options.logger });
}

/** A journal that is open, and what gives it back. */
interface InUse {
  readonly file: OpenFile;
  readonly found: OpenedJournal;
  readonly compaction: Compaction;
  readonly unlock: () => Promise<void>;
}

interface Terms {
  readonly retentionMs: number;
  readonly logger: Logger | undefined;
}

class JournalInFile implements FileJournal {
  readonly name: string;
  readonly durable = true;
  readonly #path: string;
  readonly #surroundings: Surroundings;
  readonly #terms: Terms;
  readonly #locks = new KeyLocks();
  readonly #underWay = new UnderWay();
  /** Writes that are under way, and that nobody waits for. */
  readonly #unwaited = new UnderWay();
  #inUse: Promise<InUse> | undefined;
  #closing: Promise<void> | undefined;
  /** As it was closed last. */
  #previous: OpenFile | undefined;

  constructor(path: string, surroundings: Surroundings, terms: Terms) {
    this.name = `file ${path}`;
    this.#path = path;
    this.#surroundings = surroundings;
    this.#terms = terms;
  }

  async open(): Promise<OpenedJournal> {
    return this.#use(async ({ found }) => found);
  }

  async create(...[intent, change, lease, rules]: Parameters<Journal['create']>): Promise<Created> {
    const record = encodeRecord(made({ intent, ...change }));
    const names = namesOf(intent);
    return this.#write(
      () => names,
      async ({ table, commit }) => {
        const obstacle = table.obstacleTo(intent, rules);
        return obstacle ?? commit.write(record, () => table.make(intent, change, lease));
      },
    );
  }

  append(...[id, fence, change, unwaited]: Parameters<Journal['append']>): Promise<void> {
    const record = encodeRecord(changed(id, change));
    return new Promise((resolve, reject) => {
      let tell: (error: unknown) => void = reject;
      const write = async ({ table, commit }: OpenFile): Promise<void> => {
        if (table.read(id) === undefined || table.fenceOf(id) !== fence) throw new LeaseLostError(id.key);
        const written = commit.write(record, () => table.append(id, fence, change));
        if (unwaited !== undefined) {
          tell = (error) => unwaited.onLost(error);
          this.#unwaited.add(written);
          resolve();
        }
        await written;
      };
      // Where this caller doesn't wait, those do who ask for the key, or for another intent of the same subject.
      const names = ({ table }: OpenFile) => {
        const stored = unwaited && table.read(id);
        return stored === undefined ? [id.key] : namesOf(stored.intent);
      };
      this.#write(names, write).then(resolve, (error: unknown) => tell(error));
    });
  }

  async claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
    return this.#write(
      () => [id.key],
      async (file) => {
        await beginOpening(file);
        return file.table.claim(id, lease);
      },
    );
  }

  async claimOpen(...[namespace, lease, limit]: Parameters<Journal['claimOpen']>): Promise<HeldIntent[]> {
    return this.#use(async ({ file }) => {
      await beginOpening(file);
      const held: HeldIntent[] = [];
      for (const { intent } of [...file.table.list({ namespace, open: true })]) {
        if (held.length >= limit) break;
        const id = idOf(intent);
        // One by one, behind what is being written about each: whoever takes over has to see all of it.
        const claimed = await this.#locks.hold([id.key], async () => claimWhereOpen(file, id, lease));
        if (claimed !== undefined) held.push(claimed);
      }
      return held;
    });
  }

  async release(id: IntentId, fence: number): Promise<void> {
    return this.#use(async ({ file }) => file.table.release(id, fence));
  }

  async read(id: IntentId): Promise<StoredIntent | undefined> {
    return this.#use(({ file }) => this.#locks.hold([id.key], async () => file.table.read(id)));
  }

  async find(key: string): Promise<StoredIntent[]> {
    return this.#use(({ file }) => this.#locks.hold([key], async () => file.table.find(key)));
  }

  async *list(filter: IntentFilter): AsyncGenerator<StoredIntent> {
    await this.#unwaited.ended();
    yield* await this.#use(async ({ file }) => [...file.table.list(filter)]);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  async #close(): Promise<void> {
    const inUse = await this.#inUse?.catch(() => undefined);
    await this.#underWay.ended();
    // Whoever comes next opens anew, also where opening failed.
    this.#inUse = undefined;
    if (inUse === undefined) return;
    const { file, found, compaction, unlock } = inUse;
    await compaction.end();
    const { commit } = file;
    // Where nothing was written, the last record says already that it was closed.
    if (commit.stopped === undefined && commit.hasWritten) {
      const record: ClosedRecord = { type: 'closed', at: this.#surroundings.clock.now() };
      await commit.write(encodeRecord(record), () => undefined).catch(() => undefined);
    }
    const target = await commit.end();
    await target.file.close().catch(() => undefined);
    this.#previous = file;
    await unlock().catch((error: unknown) =>
      this.#warn('The lock of the journal could not be removed', { path: found.path, reason: codeOf(error) }),
    );
  }

  #write<T>(
    namesOf: (file: OpenFile) => readonly string[],
    work: (file: OpenFile) => Promise<T>,
  ): Promise<T> {
    return this.#use(async ({ file, compaction }) => {
      if (file.commit.stopped !== undefined) throw file.commit.stopped;
      const result = await this.#locks.hold(namesOf(file), () => work(file));
      compaction.beginWhereDue();
      return result;
    });
  }

  /** What is asked for while the journal is closing waits, and opens it again. */
  #use<T>(work: (inUse: InUse) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return this.#closing.then(() => this.#use(work));
    this.#inUse ??= this.#open();
    const doing = this.#inUse.then(work);
    this.#underWay.add(doing);
    return doing;
  }

  async #open(): Promise<InUse> {
    const { disk, clock, pid, compactFrom = COMPACT_FROM } = this.#surroundings;
    const path = await this.#surroundings.locate(this.#path);
    const unlock = await this.#surroundings.lock(path);
    const options = { disk, path, clock, pid, retentionMs: this.#terms.retentionMs, compactFrom };
    try {
      const file = await openFile(options, this.#previous);
      const { droppedBytes, formatVersion, table } = file;
      const found = { path, intents: table.size, droppedBytes, formatVersion };
      if (droppedBytes > 0) {
        this.#warn('The last write to the journal was cut off by a crash, and is dropped', {
          ...found,
        });
      }
      const compaction = new Compaction(file, options, this.#locks, (error) =>
        this.#warn('The journal could not be compacted, and goes on as it is', {
          path,
          reason: codeOf(error),
        }),
      );
      return { file, found, compaction, unlock };
    } catch (error) {
      await unlock().catch(() => undefined);
      throw error instanceof JournalError ? error : unavailable(path, 'opened', error);
    }
  }

  #warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    try {
      this.#terms.logger?.warn(message, fields);
    } catch {
      // Whoever can't be told has to do without: the journal goes on.
    }
  }
}

/** What of an intent only one may have at a time. */
function namesOf(intent: Intent): string[] {
  const { namespace, key } = idOf(intent);
  const subject = subjectOf(intent);
  return [key, ...(subject === undefined ? [] : [`${namespace} of ${subject}`])];
}
