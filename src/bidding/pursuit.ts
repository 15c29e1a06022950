import type { BaseOptions } from '../core/caller.js';
import type { PreparedCall } from '../core/prepare.js';
import { pause, Stopped, type StopSources, Stretch } from '../core/stop.js';
import { IdempotencyConflictError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError, TimeoutError } from '../errors/connection.js';
import { InDoubtError } from '../errors/in-doubt.js';
import { JournalError } from '../errors/journal.js';
import { fenceOf } from '../intents/fence-of.js';
import { type Standing, standingOf } from '../intents/standing.js';
import type { IntentWork } from '../intents/work.js';
import type { BidDetail } from '../models/bids.js';
import { ABSENCE_GAP_MS, type Absence, absenceOf } from './fence.js';
import { similarBids } from './ladder.js';
import { lookAtLot, lookUp } from './look.js';
import type { BidOutcome } from './outcome.js';
import { outcomeOf } from './outcome-of.js';
import type { BiddingParts } from './parts.js';

/** What a pursuit may do, and for how long. */
export interface PursuitLimits {
  readonly options: BaseOptions;
  readonly sources: StopSources;
  /** Attempts that this call may make at the most. */
  readonly maxAttempts: number;
  /** Looks that bring nothing new before the caller is told that it stays unknown. */
  readonly maxLooks: number;
}

/** A deadline stands on every bid, whether one was given or not. */
const TOO_LATE = 'the time until which it may be sent has passed: its placeBy, the close, or two minutes';

/** How long to wait before the next look, ms, by how many there were. */
const LOOK_WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/** One bid, leased to this process, until its outcome is known or this call's means are used up. */
export class Pursuit {
  readonly #parts: BiddingParts;
  readonly #work: IntentWork;
  readonly #key: string;
  readonly #limits: PursuitLimits;
  #reason: string | undefined;
  #similar: { readonly bids: readonly BidDetail[]; readonly complete: boolean } | undefined;

  constructor(parts: BiddingParts, work: IntentWork, key: string, limits: PursuitLimits) {
    this.#parts = parts;
    this.#work = work;
    this.#key = key;
    this.#limits = limits;
  }

  get standing(): Standing {
    return this.#work.standing ?? nothing;
  }

  get outcome(): BidOutcome {
    return outcomeOf({
      key: this.#key,
      bid: this.#work.bid,
      standing: this.standing,
      entries: this.#work.entries,
      horizonMs: this.#parts.horizonMs,
      similar: this.#similar,
      reason: this.#reason,
      now: this.#parts.keeper.parts.serverClock.now(),
    });
  }

  /** What became of it, where it went no further because of something that the journal doesn't know. */
  outcomeBecause(reason: string): BidOutcome {
    this.#reason = reason;
    return this.outcome;
  }

  /** Sends it, looks where that leaves it unknown, and sends the same bytes again where nothing speaks against it. */
  async place(call: PreparedCall): Promise<BidOutcome> {
    for (;;) {
      if (this.standing.state !== 'unknown') await this.#send(call);
      const mayResend = await this.#lookUntilKnown();
      if (!mayResend || !(await this.#isOpen())) return this.outcome;
      await this.#send(call);
      if (this.standing.state !== 'unknown') return this.outcome;
    }
  }

  /** Looks, and sends nothing. */
  async reconcile(): Promise<BidOutcome> {
    await this.#lookUntilKnown();
    return this.outcome;
  }

  async #send(call: PreparedCall): Promise<void> {
    const { pipeline } = this.#parts;
    const before = this.#departed;
    let failure: VehicleAuctionError | undefined;
    try {
      const limits = { deadline: Math.max(1, this.#msLeft), maxAttempts: this.#attemptsLeft };
      await pipeline.run(call, { ...this.#limits.options, ...limits }, this.#work);
      this.#reason = undefined;
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      failure = error;
      this.#reason = this.#whyOf(error, before);
    } finally {
      await this.#work.settle();
    }
    // What kept this call from beginning is the caller's to know; what happened under way stands in the journal.
    const begun = this.#departed > before || this.standing.inDoubt;
    if (failure !== undefined && !begun && isOfTheCall(failure)) {
      throw failure instanceof JournalError ? failure.within({ call: 'bidding.place' }) : failure;
    }
  }

  /** What kept the last attempt from a clear answer; where none left, what kept it from leaving. */
  #whyOf(error: VehicleAuctionError, before: number): string {
    if (error instanceof JournalError) return `JournalError, ${error.fault}`;
    const end = this.#work.entries.findLast(({ type }) => type === 'end');
    if (end?.type === 'end' && this.#departed > before) return end.reason;
    if (this.#work.msToDepart() <= 0) return TOO_LATE;
    if (error instanceof AbortedError) return 'the call was aborted before it could be sent';
    if (error instanceof TimeoutError) return 'the deadline of the call passed before it could be sent';
    return end?.type === 'end' ? end.reason : error.name;
  }

  /** Resolves with whether the same bytes may be sent again. */
  async #lookUntilKnown(): Promise<boolean> {
    for (let looks = 0; this.#isSought; looks += 1) {
      if (this.#msLeft <= 0 || this.#limits.options.signal?.aborted === true) return false;
      const look = await lookUp(this.#parts, this.#key, { ...this.#limits.options, deadline: this.#msLeft });
      await this.#work.look(look);
      if (this.standing.state !== 'unknown') return false;
      const absence = this.#absence;
      if (absence?.conclusive === true) return false;
      if (absence?.tooLate === true || (look.observedAt === undefined && this.#isPastHorizon)) {
        await this.#findSimilar();
        return false;
      }
      if (look.found === 'absent' && this.#mayResend) return true;
      const isWorthAnother =
        look.found === 'processing' || absence?.begun === true || looks + 1 < this.#limits.maxLooks;
      const waitMs = absence?.begun === true ? ABSENCE_GAP_MS : (LOOK_WAITS_MS[looks] ?? 8_000);
      if (!isWorthAnother || waitMs >= this.#msLeft || !(await this.#waited(waitMs))) return false;
    }
    return false;
  }

  async #findSimilar(): Promise<void> {
    const stretch = new Stretch(this.#limits.sources);
    try {
      const { signal } = stretch;
      this.#similar = await similarBids(this.#parts, this.#work, { ...this.#limits.options, signal });
    } finally {
      stretch.end();
    }
  }

  /** Whether the lot hasn't closed, as the lot itself says (A10); where it doesn't say, the bid's deadline decides. */
  async #isOpen(): Promise<boolean> {
    const lot = this.#work.bid?.lot;
    if (lot === undefined || this.#msLeft <= 0) return false;
    const look = await lookAtLot(this.#parts, lot, { ...this.#limits.options, deadline: this.#msLeft });
    await this.#work.look(look);
    return look.found !== 'closed';
  }

  async #waited(ms: number): Promise<boolean> {
    try {
      await pause(this.#limits.sources, ms);
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  /** What was abandoned is looked for when somebody asks: that it stands overrides the word. */
  get #isSought(): boolean {
    return this.standing.state === 'unknown' || this.standing.state === 'abandoned';
  }

  get #mayResend(): boolean {
    const wasClosed = this.#work.entries.some((entry) => entry.type === 'look' && entry.found === 'closed');
    // What the service has rejected is never sent again, also while that wants to be confirmed; and what it has just turned
    // away would be turned away again, while each attempt moves the fence.
    if (wasClosed || this.standing.unconfirmed || this.#wasRefused) return false;
    return this.#attemptsLeft > 0 && this.#work.msToDepart() > 0;
  }

  /** Whether the last attempt of this call was turned away. */
  get #wasRefused(): boolean {
    const end = this.#work.entries.findLast((entry) => entry.type === 'end');
    return end?.type === 'end' && end.effect === 'refused' && end.attempt > this.#work.attemptsBefore;
  }

  /** Attempts that left, as far as is known. */
  get #departed(): number {
    return this.#work.entries.filter((entry) => entry.type === 'end' && entry.effect !== 'not_sent').length;
  }

  get #attemptsLeft(): number {
    return this.#limits.maxAttempts - (this.standing.attempts - this.#work.attemptsBefore);
  }

  get #msLeft(): number {
    const { clock, deadlineAt } = this.#limits.sources;
    return deadlineAt - clock.monotonic();
  }

  get #absence(): Absence | undefined {
    return absenceOf(this.#work.entries, this.standing, this.#parts.horizonMs);
  }

  get #isPastHorizon(): boolean {
    const { lastTimestamp } = this.standing;
    const now = this.#parts.keeper.parts.serverClock.now();
    return lastTimestamp !== undefined && now > fenceOf(lastTimestamp) + this.#parts.horizonMs;
  }
}

/** Errors that say that this call can't be made, rather than what became of it. */
function isOfTheCall(error: VehicleAuctionError): boolean {
  return (
    error instanceof InDoubtError ||
    error instanceof IdempotencyConflictError ||
    error instanceof JournalError
  );
}

const nothing: Standing = standingOf({}, []);
