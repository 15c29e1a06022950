import type { Clock } from '../ports/clock.js';
import type { ServerClock, TimeSample } from '../ports/server-clock.js';

/** A machine that is further off than this has to be put right: one odd reply must not sign requests for next year. */
const BELIEVED_MS = 24 * 60 * 60 * 1000;

/** Wall clock and monotonic clock that drift apart by more than this: the wall clock was set, or the machine slept. */
const LEVEL_MS = 1_000;

/** A signature is stamped in local time while that is within this of server time, beyond what is uncertain. */
const TOLERATED_MS = 2_000;

/** How fast an estimate loses its worth: clocks of machines drift by up to 100 ms in a thousand seconds. */
const DRIFT = 1e-4;

interface Estimate {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly takenAt: number;
  /** Difference of wall clock and monotonic clock when it was taken. */
  readonly wallOrigin: number;
}

/**
 * Server time from the replies of the service: a reply was stamped between the moment the request left and the moment it
 * arrived. The narrowest of these spans holds until a later one contradicts it twice, or at once where the service refuses a
 * timestamp. Once the local clock was set, or the machine slept, nothing is known until the next reply.
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
    return this.#current === undefined ? undefined : this.#clock.now() + this.#current.offsetMs;
  }

  offsetMs(): number {
    return this.#current?.offsetMs ?? 0;
  }

  uncertaintyMs(): number {
    const current = this.#current;
    return current === undefined ? Number.POSITIVE_INFINITY : this.#uncertaintyOf(current);
  }

  observe({ serverMs, resolutionMs, sentAtMs, receivedAtMs }: TimeSample, urgent = false): void {
    const rtt = Math.max(0, receivedAtMs - sentAtMs);
    // A coarse time is cut off: the moment lies in the unit that it names.
    const offsetMs = serverMs + Math.floor(resolutionMs / 2) - (sentAtMs + rtt / 2);
    if (!(Math.abs(offsetMs) <= BELIEVED_MS)) return;
    const sample: Estimate = {
      offsetMs,
      uncertaintyMs: rtt / 2 + resolutionMs / 2,
      takenAt: this.#clock.monotonic(),
      wallOrigin: this.#wallOrigin(),
    };
    const current = this.#current;
    if (current === undefined || urgent) {
      this.#take(sample);
    } else if (this.#agree(current, sample)) {
      this.#contradiction = undefined;
      if (sample.uncertaintyMs <= this.#uncertaintyOf(current)) this.#take(sample);
    } else if (this.#contradiction !== undefined && this.#agree(this.#contradiction, sample)) {
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
    if (estimate === undefined || Math.abs(this.#wallOrigin() - estimate.wallOrigin) > LEVEL_MS)
      return undefined;
    return estimate;
  }

  #agree(one: Estimate, other: Estimate): boolean {
    return Math.abs(one.offsetMs - other.offsetMs) <= this.#uncertaintyOf(one) + this.#uncertaintyOf(other);
  }

  #uncertaintyOf({ uncertaintyMs, takenAt }: Estimate): number {
    return uncertaintyMs + Math.max(0, this.#clock.monotonic() - takenAt) * DRIFT;
  }

  #wallOrigin(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
