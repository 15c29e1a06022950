import type { Clock, ClockReading, ServerClock, StatedTime } from '../ports/clock.js';

/** A machine that is further off than this has to be put right: one odd reply must not sign requests for next year. */
const BELIEVED_MS = 24 * 60 * 60 * 1000;

/** Wall clock and monotonic clock that drift apart by more than this: the wall clock was set, or the machine slept. */
const LEVEL_MS = 1_000;

/** A signature is stamped in local time while that is within this of server time, beyond what is uncertain. */
const TOLERATED_MS = 2_000;

/** How fast an estimate loses its worth: clocks of machines drift by up to 100 ms in a thousand seconds. */
const DRIFT = 1e-4;

/** How far server time is ahead of the monotonic clock, by a reply that arrived at `taken`. */
interface Estimate {
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

  observe({ serverMs, resolutionMs, source }: StatedTime, sent: ClockReading, urgent = false): void {
    const taken = this.reading();
    // A reply from before a sleep would seem to be from after it. One that refuses a timestamp is from after it.
    if (shift(sent, taken) > LEVEL_MS && !urgent) return;
    const tookMs = Math.max(0, taken.monotonic - sent.monotonic);
    // A coarse time is cut off: the moment lies in the unit that it names.
    const aheadMs = serverMs + Math.floor(resolutionMs / 2) - (taken.monotonic - tookMs / 2);
    if (!(Math.abs(aheadMs + taken.monotonic - taken.wall) <= BELIEVED_MS)) return;
    // What the service wrote itself is never given up for what a proxy may have written.
    if (source === 'header' && this.#estimate?.source === 'body' && !urgent) return;
    const sample: Estimate = { aheadMs, uncertaintyMs: (tookMs + resolutionMs) / 2, source, taken };
    const before = estimateAt(taken, this.#estimate);
    const current = source === 'body' && before?.source === 'header' ? undefined : before;
    const isContradicted = current !== undefined && !agree(current, sample);
    const rival = isContradicted && !urgent ? this.#contradiction : undefined;
    if (isContradicted && !urgent && !agree(estimateAt(taken, rival), sample)) {
      this.#contradiction = sample;
      return;
    }
    this.#contradiction = undefined;
    // A slow reply agrees with much: it confirms a precise one that came before it, and doesn't take its place.
    const other = isContradicted ? estimateAt(taken, rival) : current;
    if (other === undefined || sample.uncertaintyMs <= other.uncertaintyMs) this.#estimate = sample;
    else if (isContradicted) this.#estimate = rival;
  }
}

/** An estimate with what has become uncertain since; undefined once the clocks have moved against each other. */
function estimateAt(now: ClockReading, estimate: Estimate | undefined): Estimate | undefined {
  if (estimate === undefined) return undefined;
  const { taken } = estimate;
  const shiftMs = shift(taken, now);
  if (!(shiftMs <= LEVEL_MS)) return undefined;
  const driftMs = Math.max(0, now.monotonic - taken.monotonic) * DRIFT;
  return { ...estimate, uncertaintyMs: estimate.uncertaintyMs + driftMs + shiftMs };
}

function agree(one: Estimate | undefined, other: Estimate): boolean {
  if (one === undefined) return false;
  return Math.abs(one.aheadMs - other.aheadMs) <= one.uncertaintyMs + other.uncertaintyMs;
}

/** By how much the wall clock moved against the monotonic clock, ms. */
function shift(before: ClockReading, after: ClockReading): number {
  return Math.abs(after.wall - after.monotonic - (before.wall - before.monotonic));
}

/** Where a reply states server time. */
export interface TimedReply {
  /** The JSON's own: `server_time`, or `timestamp` of an envelope. */
  readonly timestamp?: unknown;
  /** The HTTP `Date` header. */
  readonly date?: string | undefined;
}

/** Server time as a reply states it, Unix ms: the JSON's own time first, then `Date`; undefined where neither is one. */
export function statedTimeOf({ timestamp, date }: TimedReply): StatedTime | undefined {
  const [text, day, fraction] = typeof timestamp === 'string' ? (zonedShape.exec(timestamp) ?? []) : [];
  if (text !== undefined && day !== undefined) {
    const serverMs = Date.parse(text);
    // Only the last days of a month can be none.
    const isReal = !Number.isNaN(serverMs) && (Number(day.slice(8)) <= 28 || isCalendarDay(day));
    if (isReal) return { serverMs, resolutionMs: fraction === undefined ? 1_000 : 1, source: 'body' };
  }
  const http = httpDateMs(date);
  return http === undefined ? undefined : { serverMs: http, resolutionMs: 1_000, source: 'header' };
}

/** An ISO 8601 date-time with a zone. PHP also writes offsets without their colon. */
const zonedShape = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** `Date.parse` rolls the 30th of February over. */
function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** An HTTP date as servers write it; what doesn't read back the same is none. */
function httpDateMs(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (value !== latest.text) {
    const ms = Date.parse(value);
    const isExact = !Number.isNaN(ms) && new Date(ms).toUTCString() === value;
    latest = { text: value, ms: isExact ? ms : undefined };
  }
  return latest.ms;
}

/** Replies of one second carry the same date. */
let latest: { readonly text: string; readonly ms: number | undefined } = { text: '', ms: undefined };

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
  readonly uncertaintyMs: number;
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
            uncertaintyMs: Math.ceil(serverClock.uncertaintyMs()) + 1,
          },
  };
}
