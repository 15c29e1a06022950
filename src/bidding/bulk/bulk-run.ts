import { Batch } from './batch.js';
import { bulkSettings, type PlaceAllOptions } from './options.js';
import type { BulkParts } from './parts.js';
import type { BulkPlan, BulkSummary } from './progress.js';
import type { BulkResult } from './result.js';
import type { BulkRow, RowSource } from './row.js';

/**
 * A batch under way. It goes on by itself, whether its results are read or not; walk it for the results as they settle.
 * Each result is given out once: those that nobody has read yet wait for whoever walks on.
 */
export class BulkRun<R> implements AsyncIterable<BulkResult<R>> {
  /** What was found before the first bid left. Never rejects. */
  readonly plan: Promise<BulkPlan>;
  /** How it ended. Never rejects: what ended the batch early stands in `stopped`. */
  readonly summary: Promise<BulkSummary>;
  readonly #next: () => Promise<IteratorResult<BulkResult<R>, undefined>>;
  readonly #stop: () => void;

  /** @internal */
  constructor(
    parts: Pick<BulkRun<R>, 'plan' | 'summary' | 'stop'> & {
      next(): Promise<IteratorResult<BulkResult<R>, undefined>>;
    },
  ) {
    this.plan = parts.plan;
    this.summary = parts.summary;
    this.#next = () => parts.next();
    this.#stop = () => parts.stop();
  }

  /**
   * Results as they settle. Leaving the loop early doesn't stop the batch: `stop()` does.
   *
   * @throws behind the last result, what the source of the rows threw, or what kept the batch from beginning.
   */
  [Symbol.asyncIterator](): AsyncIterator<BulkResult<R>, undefined> {
    return { next: () => this.#next() };
  }

  /** All results that nobody has read yet, in the order in which they settled. @throws as walking it does */
  async toArray(): Promise<BulkResult<R>[]> {
    const results: BulkResult<R>[] = [];
    for await (const result of this) results.push(result);
    return results;
  }

  /** Begins no further row: what waits is told as it stands on record, what is under way is settled. */
  stop(): void {
    this.#stop();
  }
}

/**
 * Places every row of a source, each once: see `Bidding.placeAll`.
 *
 * @throws InvalidRequestError for options that can't work; nothing is read then.
 */
export function placeAll<R extends BulkRow>(
  parts: BulkParts,
  source: RowSource<R>,
  options: PlaceAllOptions<R>,
): BulkRun<R> {
  const batch = new Batch<R>(parts, source, bulkSettings(source, options));
  return new BulkRun<R>({
    plan: batch.plan,
    summary: batch.run(),
    next: () => batch.report.outbox.next(),
    stop: () => batch.stop(),
  });
}
