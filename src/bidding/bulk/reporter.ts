import type { Log } from '../../core/log.js';
import type { BulkSettings } from './options.js';
import { Outbox } from './outbox.js';
import type { BulkProgress, BulkWarning } from './progress.js';
import type { BulkResult } from './result.js';
import { messageOf } from './stops.js';
import { Tally } from './tally.js';

/** Where a batch stands, beside what is counted. */
export type Standing = Pick<
  BulkProgress<unknown>,
  'phase' | 'read' | 'isReadToEnd' | 'inFlight' | 'waiting' | 'expectedEndAt'
>;

/** Tells the outside: results, progress, warnings. Nothing that the outside does with them harms the batch. */
export class Reporter<R> {
  readonly tally = new Tally<R>();
  readonly outbox = new Outbox<BulkResult<R>>();
  readonly warnings: BulkWarning[] = [];
  readonly #settings: Pick<BulkSettings<R>, 'onProgress' | 'onWarning'>;
  readonly #log: Pick<Log, 'warn'>;
  readonly #now: () => number;
  readonly #standing: () => Standing;

  /** @param now on the monotonic clock, ms */
  constructor(
    settings: Pick<BulkSettings<R>, 'onProgress' | 'onWarning'>,
    log: Pick<Log, 'warn'>,
    now: () => number,
    standing: () => Standing,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#now = now;
    this.#standing = standing;
  }

  settled(result: BulkResult<R>): void {
    this.tally.note(result);
    this.outbox.put(result);
    this.progress();
  }

  progress(): void {
    const { onProgress } = this.#settings;
    if (onProgress === undefined) return;
    const { counts, settled, latest } = this.tally;
    this.#tell('onProgress', () =>
      onProgress({
        ...this.#standing(),
        counts: { ...counts },
        settled,
        perMinute: this.tally.perMinute(this.#now()),
        ...(latest !== undefined && { latest }),
      }),
    );
  }

  warn(warning: BulkWarning): void {
    this.warnings.push(warning);
    this.#log.warn(warning.what, () => ({ type: warning.type }));
    this.#tell('onWarning', () => this.#settings.onWarning?.(warning));
  }

  #tell(name: string, call: () => unknown): void {
    const noted = (error: unknown) => {
      this.#log.warn(`${name} of a batch threw`, () => ({ error: messageOf(error) }));
    };
    try {
      const done = call();
      // An async one that fails would else end the process.
      if (done instanceof Promise) done.catch(noted);
    } catch (error) {
      noted(error);
    }
  }
}
