import type { Candidate } from './candidate.js';
import { edited, isSettledEarlier, rememberedOutcome } from './earlier.js';
import { isSame, type Known, type Records } from './records.js';
import {
  type InvalidRow,
  invalid,
  type PlacedRow,
  placed,
  settledEarlier,
  unplaced,
  unsentOutcome,
} from './result.js';

/** Why a row is left out, and what to do about it, as sentences. */
export interface Why {
  readonly what: string;
  readonly nextStep: string;
}

/** Tells rows that this run leaves out as they stand on record: an earlier run may have sent them. */
export class LeftOut<R> {
  readonly #records: Records<R>;
  readonly #tell: (result: PlacedRow<R> | InvalidRow<R>) => void;
  /** Those that aren't told yet, in their order. */
  readonly #rows = new Map<Candidate<R>, Why>();
  #isAtWork = false;

  constructor(records: Records<R>, tell: (result: PlacedRow<R> | InvalidRow<R>) => void) {
    this.#records = records;
    this.#tell = tell;
  }

  /** Rows that have no result yet. */
  get pending(): number {
    return this.#rows.size;
  }

  add(candidate: Candidate<R>, why: Why): void {
    this.#rows.set(candidate, why);
    if (!this.#isAtWork) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    // Those that are left out together are asked for together.
    await Promise.resolve();
    while (this.#rows.size > 0) {
      for await (const [candidate, known] of this.#records.of([...this.#rows.keys()])) {
        const why = this.#rows.get(candidate);
        this.#rows.delete(candidate);
        if (why !== undefined) this.#tell(leftOut(candidate, why, known));
      }
    }
    this.#isAtWork = false;
  }
}

function leftOut<R>(
  candidate: Candidate<R>,
  why: Why,
  known: Known | undefined,
): PlacedRow<R> | InvalidRow<R> {
  if (known === undefined) return untold(candidate, why);
  const { bid } = known;
  if (bid === undefined) return unplaced(candidate, unsentOutcome(candidate, why));
  const { outcome } = bid;
  if (!isSame(candidate, bid)) {
    const { issue, nextStep } = edited(outcome.status);
    return invalid(candidate.row, [issue], candidate, nextStep);
  }
  const what = besides(outcome.what, why);
  if (isSettledEarlier(outcome)) return settledEarlier(candidate, { ...outcome, what });
  const { nextStep } = outcome.status === 'not_sent' ? why : outcome;
  return placed(candidate, { ...outcome, what, nextStep });
}

/** The journal can't be asked: then a row that an earlier run may have sent must not be called unsent. */
function untold<R>(candidate: Candidate<R>, why: Why): PlacedRow<R> {
  const remembered = rememberedOutcome(candidate);
  if (remembered !== undefined) {
    return placed(candidate, { ...remembered, what: besides(remembered.what, why) });
  }
  const unsent = unsentOutcome(candidate, {
    what: `${why.what} The journal could not be asked whether this row was sent before.`,
    nextStep: 'The same batch again tells, under the same key; until then it may stand.',
  });
  return unplaced(candidate, { ...unsent, status: 'unknown' });
}

function besides(what: string, why: Why): string {
  return `${what} This run didn't look at it: ${why.what}`;
}
