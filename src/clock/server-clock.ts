import type { Clock } from '../ports/clock.js';
import type { ClockReading, ServerClock, StatedTime } from '../ports/server-clock.js';

/** A machine that is further off than this has to be put right: one odd reply must not sign requests for next year. */
const BELIEVED_MS = 24 * 60 * 60 * 1000;

/** Wall clock and monotonic clock that drift apart by more than this: the wall clock was set, or the machine slept. */
const LEVEL_MS = 1_000;

/** A signature is stamped in local time while that is within this of server time, beyond what is uncertain. */
const TOLERATED_MS = 2_000;

/** How fast an estimate loses its worth: clocks of machines drift by up to 100 ms in a thousand seconds. */
const DRIFT = 1e-4;

interface Estimate {
  /** How far server time is ahead of the monotonic clock, ms. */
  readonly aheadMs: number;
  readonly uncertaintyMs: number;
  readonly source: StatedTime['source'];
  readonly taken: ClockReading;
}

/**
 * Server time from the replies of the service: a reply was stamped between the moment the request left and the moment it
 * arrived, both on the monotonic clock. The narrowest of these spans holds until two later ones contradict it in the
 * same way, or at once where the service refuses a timestamp. Once the local clock was set, or the machine slept, nothing
 * is known until the next reply: the monotonic clock may have stood still.
 */
export function createServerClock(clock: Clock): ServerClock {
  return new MeasuredClock(clock);
}

class MeasuredClock implements ServerClock {
  readonly #clock: Clock;
  #estimate: Estimate | undefined;
  /** One sample contradicted the estimate; a second that agrees with it replaces it. */
  #contradiction: Estimate | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    const offsetMs = this.offsetMs();
    const tolerated = TOLERATED_MS + (offsetMs === 0 ? 0 : this.uncertaintyMs());
    return this.#clock.now() + (Math.abs(offsetMs) > tolerated ? offsetMs : 0);
  }

  time(): number | undefined {
    const current = this.#current;
    return current && this.#clock.monotonic() + current.aheadMs;
  }

  isStated(): boolean {
    return this.#current?.source === 'body';
  }

  offsetMs(): number {
    const time = this.time();
    return time === undefined ? 0 : time - this.#clock.now();
  }

  uncertaintyMs(): number {
    const current = this.#current;
    return current === undefined ? Number.POSITIVE_INFINITY : this.#uncertaintyOf(current);
  }

  reading(): ClockReading {
    return { wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }

  observe({ serverMs, resolutionMs, source }: StatedTime, sent: ClockReading, urgent = false): void {
    const taken = this.reading();
    // A reply from before a sleep would seem to be from after it. One that refuses a timestamp is from after it.
    if (shift(sent, taken) > LEVEL_MS && !urgent) return;
    const tookMs = Math.max(0, taken.monotonic - sent.monotonic);
    // A coarse time is cut off: the moment lies in the unit that it names.
    const aheadMs = serverMs + Math.floor(resolutionMs / 2) - (taken.monotonic - tookMs / 2);
    if (!(Math.abs(aheadMs + taken.monotonic - taken.wall) <= BELIEVED_MS)) return;
    const sample: Estimate = { aheadMs, uncertaintyMs: (tookMs + resolutionMs) / 2, source, taken };
    const current = this.#current;
    // What the service wrote itself is never given up for what a proxy may have written.
    if (source === 'header' && this.#estimate?.source === 'body' && !urgent) return;
    if (current === undefined || (source === 'body' && current.source === 'header')) {
      this.#take(sample);
    } else if (this.#agree(current, sample)) {
      this.#contradiction = undefined;
      if (sample.uncertaintyMs <= this.#uncertaintyOf(current)) this.#take(sample);
    } else if (urgent || (this.#contradiction !== undefined && this.#agree(this.#contradiction, sample))) {
      this.#take(sample);
    } else {
      this.#contradiction = sample;
    }
  }

  #take(sample: Estimate): void {
    this.#estimate = sample;
    this.#contradiction = undefined;
  }

  get #current(): Estimate | undefined {
    const estimate = this.#estimate;
    return estimate !== undefined && shift(estimate.taken, this.reading()) <= LEVEL_MS ? estimate : undefined;
  }

  #agree(one: Estimate, other: Estimate): boolean {
    return Math.abs(one.aheadMs - other.aheadMs) <= this.#uncertaintyOf(one) + this.#uncertaintyOf(other);
  }

  #uncertaintyOf({ uncertaintyMs, taken }: Estimate): number {
    const now = this.reading();
    return uncertaintyMs + Math.max(0, now.monotonic - taken.monotonic) * DRIFT + shift(taken, now);
  }
}

/** By how much the wall clock moved against the monotonic clock, ms. */
function shift(before: ClockReading, after: ClockReading): number {
  return Math.abs(after.wall - after.monotonic - (before.wall - before.monotonic));
}
