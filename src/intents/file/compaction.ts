import { writeFault } from './faults.js';
import type { KeyLocks } from './key-locks.js';
import type { OpenFile, OpeningOptions } from './open-file.js';
import { idOf } from './records.js';
import { isExpired } from './retention.js';
import { AdoptionInDoubt, abandon, adopt, appendGroup, writeAnew } from './rewrite.js';

/** What came while the file was written anew is caught up with until so many bytes are left, for one last step. */
const CATCH_UP_BYTES = 1 << 16;

/** Rewrites a journal that is in use, when most of it isn't needed any more. */
export class Compaction {
  readonly #open: OpenFile;
  readonly #options: OpeningOptions;
  readonly #locks: KeyLocks;
  readonly #onFailure: (error: unknown) => void;
  #generation: number;
  /** Size of the file from which on it is worth it, in bytes. */
  #from: number;
  #running: Promise<void> | undefined;

  /**
   * @param locks keys of intents that are in use
   * @param onFailure told why it came to nothing: the journal goes on with the file that it has
   */
  constructor(open: OpenFile, options: OpeningOptions, locks: KeyLocks, onFailure: (error: unknown) => void) {
    this.#open = open;
    this.#options = options;
    this.#locks = locks;
    this.#onFailure = onFailure;
    this.#generation = open.generation;
    this.#from = Math.max(options.compactFrom, 2 * open.usefulBytes);
  }

  /** Begins one where it is due. Nobody has to wait for it. */
  beginWhereDue(): void {
    if (this.#running !== undefined || this.#open.commit.size < this.#from) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for one that is under way. */
  async end(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { commit } = this.#open;
    this.#dropExpired();
    commit.startRecording();
    try {
      this.#from = Math.max(this.#options.compactFrom, 2 * (await this.#rewrite()));
    } catch (error) {
      this.#from = 2 * commit.size;
      this.#onFailure(error instanceof AdoptionInDoubt ? error.cause : error);
    } finally {
      commit.stopRecording();
    }
  }

  /** They may still stand in the file afterwards, where the rewriting fails: reading it again brings them back. */
  #dropExpired(): void {
    const { table } = this.#open;
    const now = this.#options.clock.now();
    for (const stored of [...table.list({})]) {
      const id = idOf(stored.intent);
      const isInUse = stored.lease !== undefined || this.#locks.isHeld(id.key);
      if (!isInUse && isExpired(stored, now, this.#options.retentionMs)) table.remove(id);
    }
  }

  /** @returns the size of the new file, in bytes */
  async #rewrite(): Promise<number> {
    const { disk, path, clock } = this.#options;
    const { commit, opened, table } = this.#open;
    // What is in the table now, and what is recorded from now on, is everything.
    const intents = [...table.list({})];
    const generation = this.#generation + 1;
    const anew = await writeAnew({ disk, path, generation, begunAt: clock.now() }, opened, intents);
    try {
      let records = commit.takeRecorded();
      while (records.reduce((sum, { length }) => sum + length, 0) > CATCH_UP_BYTES) {
        await appendGroup(anew, records);
        await anew.file.sync();
        records = commit.takeRecorded();
      }
      await commit.between(async () => {
        if (commit.stopped !== undefined) throw commit.stopped;
        records.push(...commit.takeRecorded());
        if (records.length > 0) await appendGroup(anew, records);
        await anew.file.sync();
        await this.#adopt();
        return anew;
      });
    } catch (error) {
      await abandon(disk, anew);
      throw error;
    }
    this.#generation = generation;
    return anew.size;
  }

  async #adopt(): Promise<void> {
    const { disk, path } = this.#options;
    try {
      await adopt(disk, path);
    } catch (error) {
      if (error instanceof AdoptionInDoubt) this.#open.commit.stop(writeFault(path, error.cause));
      throw error;
    }
  }
}
