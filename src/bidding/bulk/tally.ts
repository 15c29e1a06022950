import { type BulkResult, type BulkStatus, isAbandoned, isInDoubt } from './result.js';

const MINUTE_MS = 60_000;

/** Counts rows as they settle. */
export class Tally<R> {
  readonly counts: Record<BulkStatus, number> = {
    accepted: 0,
    rejected: 0,
    refused: 0,
    not_sent: 0,
    unknown: 0,
    invalid: 0,
    error: 0,
  };
  settled = 0;
  settledEarlier = 0;
  latest: BulkResult<R> | undefined;
  /** Keys of rows that may or may not have been recorded. */
  readonly inDoubt: string[] = [];
  /** Keys of rows that their owner has given up. */
  readonly abandoned: string[] = [];
  /** Monotonic times at which `place` settled a row, over the last minute. */
  readonly #ends: number[] = [];

  note(result: BulkResult<R>): void {
    this.counts[result.status] += 1;
    this.settled += 1;
    this.latest = result;
    if (result.status === 'invalid') return;
    if (result.status !== 'error' && result.earlier) this.settledEarlier += 1;
    if (isAbandoned(result)) this.abandoned.push(result.idempotencyKey);
    if (isInDoubt(result)) this.inDoubt.push(result.idempotencyKey);
  }

  /** `place` settled a row. */
  ended(now: number): void {
    this.#ends.push(now);
    this.#forget(now);
  }

  perMinute(now: number): number {
    this.#forget(now);
    return this.#ends.length;
  }

  #forget(now: number): void {
    while ((this.#ends[0] ?? now) <= now - MINUTE_MS) this.#ends.shift();
  }
}
