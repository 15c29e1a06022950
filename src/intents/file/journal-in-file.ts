import { leveled } from '../../core/log.js';
import { LeaseLostError } from '../../errors/journal.js';
import { ConfigurationError } from '../../errors/local.js';
import { type Intent, isOpen, subjectOf } from '../intent.js';
import type {
  Change,
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  Journal,
  StoredIntent,
} from '../journal.js';
import { beginOpening, claimWhereOpen } from './claims.js';
import { encodeRecord } from './format.js';
import { type InUse, letGo, type Terms, takeUp } from './in-use.js';
import { KeyLocks } from './key-locks.js';
import type { OpenFile } from './open-file.js';
import type { FileJournalOptions } from './options.js';
import type { FileJournal, OpenedJournal } from './port.js';
import { changed, idOf, made } from './records.js';
import type { Surroundings } from './surroundings.js';
import { UnderWay } from './under-way.js';

const RETENTION_MS = 30 * 86_400_000;

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
  const log = options.logger && leveled(options.logger, 'warn');
  return new JournalInFile({ path, surroundings, retentionMs, log });
}

class JournalInFile implements FileJournal {
  readonly name: string;
  readonly durable = true;
  readonly #terms: Terms;
  readonly #locks = new KeyLocks();
  readonly #underWay = new UnderWay();
  /** Writes that are under way, and that nobody waits for. */
  readonly #unwaited = new UnderWay();
  #inUse: Promise<InUse> | undefined;
  #closing: Promise<void> | undefined;
  /** As it was closed last. */
  #previous: OpenFile | undefined;

  constructor(terms: Terms) {
    this.name = `file ${terms.path}`;
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
        const stored = table.read(id);
        if (stored === undefined) return [id.key];
        return unwaited !== undefined || this.#mayOpen(stored, change) ? namesOf(stored.intent) : [id.key];
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
      await this.#unwaited.ended();
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

  /** Leases lie in memory, so what was closed need not be opened again for one. */
  async release(id: IntentId, fence: number): Promise<void> {
    while (this.#closing !== undefined) await this.#closing;
    if (this.#inUse === undefined) this.#previous?.table.release(id, fence);
    else await this.#use(async ({ file }) => file.table.release(id, fence));
  }

  async read(id: IntentId): Promise<StoredIntent | undefined> {
    return this.#use(({ file }) => this.#locks.hold([id.key], async () => file.table.read(id)));
  }

  async find(key: string): Promise<StoredIntent[]> {
    return this.#use(({ file }) => this.#locks.hold([key], async () => file.table.find(key)));
  }

  async *list(filter: IntentFilter): AsyncGenerator<StoredIntent> {
    yield* await this.#use(async ({ file }) => {
      await this.#unwaited.ended();
      return [...file.table.list(filter)];
    });
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
    this.#inUse = undefined;
    if (inUse === undefined) return;
    this.#previous = inUse.file;
    await letGo(inUse, this.#terms);
  }

  /**
   * Whether a change may make an intent open that is settled, or will be by what is being written about it. It takes
   * turns with the creates of its subject then, so that of the two that come together one sees the other.
   */
  #mayOpen(stored: StoredIntent, { state }: Change): boolean {
    return isOpen(state) && (!isOpen(stored.state) || this.#locks.isHeld(stored.intent.key));
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
    this.#inUse ??= takeUp(this.#terms, this.#locks, this.#previous).catch((error: unknown) => {
      // The next use tries again.
      this.#inUse = undefined;
      throw error;
    });
    const doing = this.#inUse.then(work);
    this.#underWay.add(doing);
    return doing;
  }
}

/** What of an intent only one may have at a time. */
function namesOf(intent: Intent): string[] {
  const { namespace, key } = idOf(intent);
  const subject = subjectOf(intent);
  return [key, ...(subject === undefined ? [] : [`${namespace} of ${subject}`])];
}
