import type { BidOutcome } from '../outcome.js';
import type { Candidate } from './candidate.js';
import { Lateness } from './lateness.js';
import { LeftOut } from './left-out.js';
import type { BulkSettings } from './options.js';
import type { BulkParts } from './parts.js';
import type { BulkStop } from './progress.js';
import type { Records } from './records.js';
import type { Reporter } from './reporter.js';
import { type FailedRow, failed, isInDoubt, type PlacedRow, placed } from './result.js';
import { Schedule } from './schedule.js';
import { stopBecauseOf } from './stops.js';

/** How often it is looked at least whether everything still makes it, and how often at the most, ms. */
const LOOK_EVERY_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;

/** Places rows in their turn, so many at once, and sees to it that each of them gets its one result. */
export class Placer<R> {
  readonly #parts: BulkParts;
  readonly #settings: BulkSettings<R>;
  readonly #report: Reporter<R>;
  readonly #schedule = new Schedule<R>();
  readonly #lateness: Lateness<R>;
  readonly #leftOut: LeftOut<R>;
  #inFlight = 0;
  #stopped: BulkStop | undefined;
  #waits: { readonly isOver: () => boolean; readonly end: () => void }[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #expectedEndAt: number | undefined;
  #cancelLook: () => void = () => undefined;

  constructor(parts: BulkParts, settings: BulkSettings<R>, report: Reporter<R>, records: Records<R>) {
    this.#parts = parts;
    this.#settings = settings;
    this.#report = report;
    this.#lateness = new Lateness(parts, settings.concurrency);
    this.#leftOut = new LeftOut(records, (result) => {
      report.settled(result);
      this.changed();
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Rows that wait for their turn, or that are left out and not told yet. */
  get waiting(): number {
    return this.#schedule.waiting + this.#leftOut.pending;
  }

  get stopped(): BulkStop | undefined {
    return this.#stopped;
  }

  /** When the last row that waits would leave, Unix ms in server time; undefined while none waits. */
  get expectedEndAt(): number | undefined {
    return this.waiting === 0 ? undefined : this.#expectedEndAt;
  }

  get schedule(): Pick<Schedule<R>, 'closeOf' | 'learn' | 'turns'> {
    return this.#schedule;
  }

  get lateness(): Pick<Lateness<R>, 'look' | 'departed'> {
    return this.#lateness;
  }

  /** Takes rows in; they go with the next `goOn`. */
  admit(candidates: readonly Candidate<R>[]): void {
    if (this.#stopped !== undefined) {
      for (const candidate of candidates) this.#leaveOut(candidate, this.#stopped);
      return;
    }
    for (const { candidate, heldBy } of this.#schedule.add(candidates)) this.#holdBack(candidate, heldBy);
  }

  /** Begins what may go now. */
  goOn(): void {
    while (this.#stopped === undefined && this.#inFlight < this.#settings.concurrency) {
      const candidate = this.#schedule.take(this.#parts.serverClock.now());
      if (candidate === undefined) break;
      this.#inFlight += 1;
      void this.#place(candidate);
    }
    this.#lookAhead();
    this.changed();
  }

  /** Begins nothing any more. What waits is told as it stands on record, what is under way when it is settled. */
  stop(stop: BulkStop): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = stop;
    for (const candidate of this.#schedule.drain()) this.#leaveOut(candidate, stop);
    this.changed();
  }

  /** Resolves as soon as it is over; looked at whenever something changes. */
  until(isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve();
    return new Promise((end) => this.#waits.push({ isOver, end }));
  }

  changed(): void {
    const over = this.#waits.filter(({ isOver }) => isOver());
    if (over.length === 0) return;
    this.#waits = this.#waits.filter((wait) => !over.includes(wait));
    for (const { end } of over) end();
  }

  /** Looks whether everything makes it, and warns where it doesn't. Returns how many rows would be late. */
  look(): number {
    const turns = this.#schedule.turns();
    const found = this.#lateness.look(turns);
    this.#lookedAt = this.#parts.clock.monotonic();
    this.#expectedEndAt = found.lastLeavesAt;
    const warning = this.#lateness.warningOf(found, turns.length);
    if (warning !== undefined) this.#report.warn(warning);
    return found.late;
  }

  /** Lets go of its timer. */
  end(): void {
    this.#cancelLook();
  }

  async #place(candidate: Candidate<R>): Promise<void> {
    const { clock } = this.#parts;
    const began = clock.monotonic();
    this.#lateness.departed(1);
    const result = await this.#resultOf(candidate);
    const isHeld = isInDoubt(result) && !this.#settings.overInDoubt;
    this.#lateness.settled(clock.monotonic() - began, requestsOf(result));
    this.#report.tally.ended(clock.monotonic());
    this.#inFlight -= 1;
    this.#report.settled(result);
    if (isHeld) {
      for (const behind of this.#schedule.hold(candidate)) this.#holdBack(behind, candidate);
    } else {
      this.#schedule.done(candidate);
    }
    const stop = stopBecauseOf(result);
    if (stop !== undefined) this.stop(stop);
    this.goOn();
  }

  async #resultOf(candidate: Candidate<R>): Promise<PlacedRow<R> | FailedRow<R>> {
    const { batchId, overInDoubt, place } = this.#settings;
    const close = this.#schedule.closeOf(candidate);
    // Closes move: one that has passed says no more than that it is old, and is no limit.
    const isAhead = close !== undefined && close > this.#parts.serverClock.now();
    const placeBy = candidate.placeBy ?? (isAhead ? close : undefined);
    try {
      const outcome = await this.#parts.place(
        { ...candidate.bid, ...(placeBy !== undefined && { placeBy }) },
        { ...place, overInDoubt, row: { batchId, rowId: candidate.rowId } },
      );
      return placed(candidate, this.#toldOfClose(outcome, isAhead ? close : undefined));
    } catch (error) {
      return failed(candidate, error);
    }
  }

  /** A row whose lot closed while it waited has nothing left to be told but that, as far as is known. */
  #toldOfClose(outcome: BidOutcome, close: number | undefined): BidOutcome {
    if (outcome.status !== 'not_sent' || close === undefined || close > this.#parts.serverClock.now())
      return outcome;
    const again = `run the batch ${this.#settings.batchId} again`;
    const nextStep = `Its lot has closed, as far as is known, so nothing is left to do; were its close moved, ${again}.`;
    return { ...outcome, nextStep };
  }

  #holdBack(candidate: Candidate<R>, heldBy: Candidate<R>): void {
    this.#leftOut.add(candidate, {
      what: `Held back, because row ${heldBy.rowId} on the same lot is in doubt (key ${heldBy.key}).`,
      nextStep:
        'Settle that row first (bidding.reconcile, recover(), or abandon it); the same batch again then places this one.',
    });
  }

  #leaveOut(candidate: Candidate<R>, { what }: BulkStop): void {
    this.#leftOut.add(candidate, {
      what,
      nextStep: 'The same batch again places this row under the same key.',
    });
  }

  #lookAhead(): void {
    this.#cancelLook();
    if (this.#stopped !== undefined || this.waiting === 0) return;
    if (this.#parts.clock.monotonic() - this.#lookedAt >= LOOK_AGAIN_MS) this.look();
    // A pause settles nothing, so nothing but a timer would notice it.
    this.#cancelLook = this.#parts.clock.after(LOOK_EVERY_MS, () => this.#lookAhead());
  }
}

/** The look-ups aren't told: where a bid stayed in doubt for a while, there was one at the least. */
function requestsOf<R>(result: PlacedRow<R> | FailedRow<R>): number {
  if (result.status === 'error') return 1;
  const { attempts } = result.outcome;
  return attempts + (attempts > 1 || result.status === 'unknown' ? 1 : 0);
}
