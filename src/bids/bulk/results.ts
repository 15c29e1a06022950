import { ApiError } from '../../errors/api.js';
import { VehicleAuctionError, withoutNextStep } from '../../errors/base.js';
import type { InputIssue } from '../../errors/local.js';
import { thrownMessage } from '../../errors/thrown.js';
import { Changes } from '../../runtime/timers.js';
import type { BidOutcome } from '../types.js';
import type {
  BatchCause,
  FailedRow,
  InvalidRow,
  PlacedRow,
  RowResult,
  UnreadableRow,
  WouldSendRow,
} from './types.js';

/** Fields common to all row results. */
export interface RowFacts<R> {
  readonly batchId: string;
  readonly position: number;
  readonly line?: number;
  /** The input row, including its extra fields. */
  readonly row: R;
  readonly rowId: string;
}

/** The result of a row whose bid has an outcome. */
export function placedRow<R>(facts: RowFacts<R>, outcome: BidOutcome): PlacedRow<R> {
  const { status, idempotencyKey, codes, what, nextStep } = outcome;
  const [code = 'reason' in outcome ? outcome.reason : undefined] = codes;
  const reason = code !== undefined && status !== 'accepted' && { reason: code };
  // The compiler can't infer that the result has the status of its outcome.
  return { ...facts, status, idempotencyKey, codes, ...reason, what, nextStep, outcome } as PlacedRow<R>;
}

/** The result of a row that a dry run would send. */
export function wouldSendRow<R>(
  facts: RowFacts<R>,
  idempotencyKey: string,
  { leavesAt, dueAt, now }: { readonly leavesAt: number; readonly dueAt: number; readonly now: number },
): WouldSendRow<R> {
  const seconds = Math.ceil((leavesAt - now) / 1_000);
  const isLate = leavesAt >= dueAt;
  const lateBy = leavesAt - dueAt;
  return {
    ...facts,
    status: 'would_send',
    idempotencyKey,
    codes: [],
    leavesAt,
    ...(isLate && { lateBy }),
    what: `This bid would be sent within ${seconds} s${isLate ? `, ${Math.ceil(lateBy / 1_000)} s too late` : ''}; nothing was sent.`,
    nextStep: isLate
      ? 'Place this batch earlier, or split it, so that this bid is in time.'
      : 'Run the batch without dryRun to place it.',
  };
}

/** The result of a row for which placing threw an error. */
export function failedRow<R>(facts: RowFacts<R>, idempotencyKey: string, error: unknown): FailedRow<R> {
  const isOurs = error instanceof VehicleAuctionError;
  const codes = error instanceof ApiError ? error.codes : [];
  return {
    ...facts,
    status: 'error',
    idempotencyKey,
    error,
    codes,
    reason: codes[0] ?? errorReason(error),
    what: isOurs ? withoutNextStep(error) : thrownMessage(error),
    nextStep: isOurs
      ? error.nextStep
      : 'This bid may have been sent: reconcile its key with intents.reconcile before you bid again.',
  };
}

export function invalidRow<R>(
  facts: Omit<RowFacts<R | UnreadableRow>, 'rowId'>,
  issues: readonly InputIssue[],
): InvalidRow<R> {
  return {
    ...facts,
    status: 'invalid',
    issues,
    codes: [],
    reason: issues[0]?.path ?? 'row',
    what: `${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}.`,
    nextStep: 'Correct this row, then run the batch again; this run did not send it.',
  };
}

/** Counts results and keeps them until they are read. Each is delivered once. */
export class Results<R> {
  readonly counts = {
    accepted: 0,
    rejected: 0,
    refused: 0,
    not_sent: 0,
    unknown: 0,
    would_send: 0,
    invalid: 0,
    error: 0,
  };
  readonly inDoubt: string[] = [];
  readonly abandoned: string[] = [];
  readonly #causes = new Map<string, BatchCause>();
  settled = 0;
  readonly #unread: RowResult<R>[] = [];
  readonly #changes = new Changes();
  #end: { readonly error?: unknown } | undefined;

  add(result: RowResult<R>): void {
    this.settled += 1;
    this.counts[result.status] += 1;
    this.#noteCause(result);
    if (result.status === 'unknown') {
      const keys = result.outcome.reason === 'abandoned' ? this.abandoned : this.inDoubt;
      keys.push(result.idempotencyKey);
    } else if (result.status === 'error' && mayHaveBeenSent(result.error)) {
      this.inDoubt.push(result.idempotencyKey);
    }
    this.#unread.push(result);
    this.#changes.notify();
  }

  get causes(): readonly BatchCause[] {
    return [...this.#causes.values()].sort((one, other) => other.count - one.count);
  }

  #noteCause(result: RowResult<R>): void {
    if (result.status === 'accepted' || result.status === 'would_send') return;
    const { status, reason = status, what, nextStep } = result;
    const known = this.#causes.get(`${status} ${reason}`);
    const cause = known ?? { status, reason, count: 0, what, nextStep };
    this.#causes.set(`${status} ${reason}`, { ...cause, count: cause.count + 1 });
  }

  /** Ends the results. A failure is thrown to readers after the last one. */
  end(failure: { readonly error?: unknown }): void {
    this.#end = failure;
    this.#changes.notify();
  }

  async next(): Promise<IteratorResult<RowResult<R>, undefined>> {
    let result: RowResult<R> | undefined;
    // Take the result at once, because one result may wake several readers.
    await this.#changes.until(() => {
      result = this.#unread.shift();
      return result !== undefined || this.#end !== undefined;
    });
    if (result !== undefined) return { done: false, value: result };
    if (this.#end !== undefined && 'error' in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }
}

/** The `reason` of an error, or its name. */
export function errorReason(error: unknown): string {
  const { reason, name }: { readonly reason?: unknown; readonly name?: unknown } = Object(error);
  return String(reason ?? name ?? 'error');
}

function mayHaveBeenSent(error: unknown): boolean {
  return !(error instanceof VehicleAuctionError) || error.outcome === 'unknown';
}
