import type { AcceptedBid, RejectedBidOutcome } from '../outcome.js';
import type { Candidate } from './candidate.js';
import { bidCheck } from './key.js';
import type { BulkParts, RecordedBid } from './parts.js';

/** So many rows are asked for at once. */
const ASKED_AT_ONCE = 16;

/** What the journal said of a row: its bid, or that it has none under this key. */
export interface Known {
  readonly bid: RecordedBid | undefined;
}

/** Asks the journal for rows, so that none of them is told as unsent which an earlier run has sent. */
export class Records<R> {
  readonly #parts: Pick<BulkParts, 'recorded'>;
  /** As they stood when the journal was last asked. */
  readonly #known = new WeakMap<Candidate<R>, Known>();

  constructor(parts: Pick<BulkParts, 'recorded'>) {
    this.#parts = parts;
  }

  /**
   * Rows in their order with what is known of them; undefined where nobody can tell. A journal that fails is asked for no
   * further row, because each might wait as long: then what it said before stands. Never rejects.
   */
  async *of(
    candidates: readonly Candidate<R>[],
  ): AsyncGenerator<readonly [candidate: Candidate<R>, known: Known | undefined]> {
    let isReadable = true;
    for (let at = 0; at < candidates.length; at += ASKED_AT_ONCE) {
      const some = candidates.slice(at, at + ASKED_AT_ONCE);
      isReadable = isReadable && (await this.#ask(some));
      for (const candidate of some) yield [candidate, this.#known.get(candidate)];
    }
  }

  /** Those of some rows that are settled for good, as they are now. Edited ones aren't: they bid something else. */
  async settled(
    candidates: readonly Candidate<R>[],
  ): Promise<ReadonlyMap<Candidate<R>, AcceptedBid | RejectedBidOutcome>> {
    const settled = new Map<Candidate<R>, AcceptedBid | RejectedBidOutcome>();
    for await (const [candidate, known] of this.of(candidates)) {
      if (known?.bid === undefined) continue;
      const { outcome } = known.bid;
      if (outcome.status !== 'accepted' && outcome.status !== 'rejected') continue;
      if (isSame(candidate, known.bid)) settled.set(candidate, outcome);
    }
    return settled;
  }

  async #ask(candidates: readonly Candidate<R>[]): Promise<boolean> {
    const asked = await Promise.allSettled(
      candidates.map(async (candidate) => {
        this.#known.set(candidate, { bid: await this.#parts.recorded(candidate.key) });
      }),
    );
    return asked.every(({ status }) => status === 'fulfilled');
  }
}

/** Whether a row bids what is on record under its key. */
export function isSame(candidate: Candidate<unknown>, { content }: RecordedBid): boolean {
  return bidCheck(candidate.key, content) === candidate.bidCheck;
}
