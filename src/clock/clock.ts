import type { Clock, ClockReading, ServerClock, StatedTime } from '../ports/clock.js';

/** A server time more than a day away from the local clock is never trusted. */
const TRUSTED_MS = 24 * 60 * 60 * 1000;

/** If the wall clock moves against the monotonic clock by more than this, it was set, or the machine slept. */
const STEP_MS = 1_000;

/** Whether the local clock was set, or the machine slept, between two readings. */
export function hasStepped(before: ClockReading, after: ClockReading): boolean {
  return stepBetween(before, after) === undefined;
}

/** Requests are signed in local time if that differs from server time by no more than this and the uncertainty. */
const TOLERATED_MS = 2_000;

/**
 * Replies that a cache may have answered have to agree for this long before they move server time back: a copy grows older
 * meanwhile, and agrees with none.
 */
const COPY_LASTS_MS = 300_000;

/** Uncertainty that an estimate gains per ms: clocks of machines drift by up to 100 ms in a thousand seconds. */
const DRIFT = 1e-4;

/** How far server time is ahead of the monotonic clock, by a reply that arrived at `taken`. */
interface Estimate {
  /** The time that the reply stated, Unix ms. */
  readonly serverMs: number;
  readonly aheadMs: number;
  readonly uncertaintyMs: number;
  readonly source: StatedTime['source'];
  readonly taken: ClockReading;
}

/**
 * Measures server time from replies. The service writes its time between the moment the request leaves and the moment the
 * reply arrives, both read from the monotonic clock. The narrowest of these spans is the estimate. It is replaced once two
 * later replies contradict it in the same way, or at once if the service refuses a timestamp. After the local clock was set
 * or the machine slept, server time is unknown until the next reply, because the monotonic clock may have stood still.
 *
 * Time that falls behind the estimate in the reply to a GET is taken for a copy from a cache, and set aside. So is the first
 * one, if it falls behind the `Date` of its own reply.
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
    const now = this.reading();
    const current = estimateAt(now, this.#estimate);
    if (current === undefined) return now.wall;
    const serverMs = now.monotonic + current.aheadMs;
    return Math.abs(serverMs - now.wall) > TOLERATED_MS + current.uncertaintyMs ? serverMs : now.wall;
  }

  time(): number | undefined {
    const now = this.reading();
    const current = estimateAt(now, this.#estimate);
    return current && now.monotonic + current.aheadMs;
  }

  isStated(): boolean {
    return estimateAt(this.reading(), this.#estimate)?.source === 'body';
  }

  offsetMs(): number {
    const now = this.reading();
    const current = estimateAt(now, this.#estimate);
    return current === undefined ? 0 : now.monotonic + current.aheadMs - now.wall;
  }

  uncertaintyMs(): number {
    return estimateAt(this.reading(), this.#estimate)?.uncertaintyMs ?? Number.POSITIVE_INFINITY;
  }

  reading(): ClockReading {
    return { wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }

  observe(stated: StatedTime, sent: ClockReading, { urgent = false, cacheable = false } = {}): number {
    const { serverMs, resolutionMs, source, behindDateMs = 0 } = stated;
    const taken = this.reading();
    // After a sleep, an earlier reply would seem to be new. A reply that refuses a timestamp is new.
    if (!urgent && stepBetween(sent, taken) === undefined) return 0;
    const tookMs = Math.max(0, taken.monotonic - sent.monotonic);
    // The moment lies within the unit that the time is written in.
    const aheadMs = serverMs + Math.floor(resolutionMs / 2) - (taken.monotonic - tookMs / 2);
    if (!(Math.abs(aheadMs + taken.monotonic - taken.wall) <= TRUSTED_MS)) return 0;
    // A time that the service wrote itself is never replaced by a header that a proxy may have written.
    if (source === 'header' && this.#estimate?.source === 'body' && !urgent) return 0;
    const sample: Estimate = { serverMs, aheadMs, uncertaintyMs: (tookMs + resolutionMs) / 2, source, taken };
    const before = estimateAt(taken, this.#estimate);
    const current = source === 'body' && before?.source === 'header' ? undefined : before;
    const isConfirmed = agree(current, sample);
    const rival = estimateAt(taken, this.#contradiction);
    // Some caches write a new `Date` on a stored reply. A second reply that states a later time is no copy of the first.
    const isStale = cacheable && behindDateMs > tookMs + resolutionMs + TOLERATED_MS;
    const isRepeated = rival !== undefined && agree(rival, sample) && serverMs > rival.serverMs;
    if (current === undefined && isStale && !urgent && !isRepeated) {
      if (rival === undefined || !agree(rival, sample)) this.#contradiction = sample;
      return behindDateMs;
    }
    if (current === undefined || urgent || isConfirmed) {
      this.#accept(sample, isConfirmed ? this.#estimate : undefined);
      return 0;
    }
    const behindMs = current.aheadMs - sample.aheadMs;
    const isCopy = cacheable && behindMs > current.uncertaintyMs + sample.uncertaintyMs + TOLERATED_MS;
    if (rival === undefined || !agree(rival, sample)) this.#contradiction = sample;
    else if (taken.monotonic - rival.taken.monotonic >= (isCopy ? COPY_LASTS_MS : 0))
      this.#accept(sample, this.#contradiction);
    return isCopy ? behindMs : 0;
  }

  /** Keeps the more precise of two that agree: a slow reply confirms a precise one, and does not replace it. */
  #accept(sample: Estimate, other: Estimate | undefined): void {
    this.#contradiction = undefined;
    const aged = estimateAt(sample.taken, other);
    this.#estimate = aged === undefined || sample.uncertaintyMs <= aged.uncertaintyMs ? sample : other;
  }
}

/** An estimate with the uncertainty it has now; undefined after the local clock was set or the machine slept. */
function estimateAt(now: ClockReading, estimate: Estimate | undefined): Estimate | undefined {
  if (estimate === undefined) return undefined;
  const { taken } = estimate;
  const stepMs = stepBetween(taken, now);
  if (stepMs === undefined) return undefined;
  const driftMs = Math.max(0, now.monotonic - taken.monotonic) * DRIFT;
  return { ...estimate, uncertaintyMs: estimate.uncertaintyMs + driftMs + stepMs };
}

function agree(one: Estimate | undefined, other: Estimate): boolean {
  if (one === undefined) return false;
  return Math.abs(one.aheadMs - other.aheadMs) <= one.uncertaintyMs + other.uncertaintyMs;
}

/** Drift of the wall clock against the monotonic clock, ms; undefined if it was set, or the machine slept. */
function stepBetween(before: ClockReading, after: ClockReading): number | undefined {
  const stepMs = Math.abs(after.wall - after.monotonic - (before.wall - before.monotonic));
  return stepMs <= STEP_MS ? stepMs : undefined;
}

/** Server time, measured from the replies of the service. Reading it sends nothing. */
export interface ServerTime {
  /** Server time, Unix ms. While it is unknown, the time of this machine: `offset()` is undefined then. */
  now(): number;
  /**
   * How far server time is ahead of this machine's clock. Undefined before the first reply, and from when the clock was
   * set or the machine slept until the next reply.
   */
  offset(): ClockOffset | undefined;
}

/** A measured difference of two clocks. */
export interface ClockOffset {
  /** By how many milliseconds server time is ahead; negative if it is behind. */
  readonly ms: number;
  /** By how many milliseconds `ms` can be wrong, either way. */
  readonly uncertainty: number;
}

/** Server time as programs see it. */
export function serverTimeOf(parts: {
  readonly clock: Clock;
  readonly serverClock: ServerClock;
}): ServerTime {
  const { clock, serverClock } = parts;
  return {
    now: () => Math.floor(serverClock.time() ?? clock.now()),
    offset: () =>
      serverClock.time() === undefined
        ? undefined
        : {
            ms: Math.round(serverClock.offsetMs()),
            uncertainty: Math.ceil(serverClock.uncertaintyMs()) + 1,
          },
  };
}
