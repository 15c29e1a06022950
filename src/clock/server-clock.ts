import type { Clock } from '../ports/clock.js';
import type { ServerClock, TimeSample } from '../ports/server-clock.js';

/**
 * Server time, made of the local wall clock and what a reply said of the service's. A reply arrives after it was
 * stamped, so the time on it is the least that server time can be on arrival: `now()` stays behind by the way back,
 * and is never ahead.
 *
 * Samples that differ by more than a day from the local clock aren't believed, or one odd reply would have requests
 * signed for next year; a machine that is further off has to be put right.
 *
 * Of several samples the one that arrived last holds, in whatever order calls hand them in. Arrivals are told apart
 * by the wall clock, so that is only done while it runs level with the monotonic one: once it was set, the sample
 * handed in last holds. A sample from just before the clock was set can be wrong by as much; the service finds the
 * next timestamp expired then, and that reply corrects it.
 */
export function createServerClock(clock: Clock): ServerClock {
  return new CorrectedClock(clock);
}

const BELIEVED_MS = 24 * 60 * 60 * 1000;

/** Less than this apart, wall clock and monotonic clock ran level: clocks are also put right bit by bit. */
const LEVEL_MS = 1_000;

class CorrectedClock implements ServerClock {
  readonly #clock: Clock;
  #offsetMs = 0;
  #latest: { readonly receivedAtMs: number; readonly wallOrigin: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  offsetMs(): number {
    return this.#offsetMs;
  }

  correct({ serverMs, receivedAtMs }: TimeSample): boolean {
    const offsetMs = serverMs - receivedAtMs;
    if (!(Math.abs(offsetMs) <= BELIEVED_MS)) return false;
    const wallOrigin = this.#clock.now() - this.#clock.monotonic();
    // Believed all the same: the clock is right already, and the call may try again.
    if (this.#isOutdated(receivedAtMs, wallOrigin)) return true;
    this.#latest = { receivedAtMs, wallOrigin };
    this.#offsetMs = offsetMs;
    return true;
  }

  #isOutdated(receivedAtMs: number, wallOrigin: number): boolean {
    if (this.#latest === undefined || receivedAtMs >= this.#latest.receivedAtMs) return false;
    return Math.abs(wallOrigin - this.#latest.wallOrigin) < LEVEL_MS;
  }
}
