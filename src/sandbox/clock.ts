import { type Moment, unixMs } from './times.js';

/** Server time of a sandbox. You can pass it wherever the SDK accepts a clock. */
export class SandboxClock {
  readonly #startedAt: number;
  /** Sorted by due time, then by creation. */
  readonly #timers: Timer[] = [];
  #shift = 0;
  /** Machine time of the last resume; undefined while paused. */
  #runningSince: number | undefined;
  #armed: NodeJS.Timeout | undefined;

  /** `startedAt` is the initial server time, Unix milliseconds. */
  constructor(mode: 'real' | 'manual', startedAt: number) {
    this.#startedAt = startedAt;
    if (mode === 'real') this.#runningSince = performance.now();
  }

  /** Server time, Unix milliseconds. */
  now(): number {
    return Math.floor(this.#startedAt + this.monotonic());
  }

  /** Milliseconds of sandbox time since the start, including advances and excluding pauses. */
  monotonic(): number {
    return this.#shift + (this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince);
  }

  /** Whether time runs with the machine's clock. If false, only `advance` and `advanceTo` move it. */
  get running(): boolean {
    return this.#runningSince !== undefined;
  }

  /**
   * Calls `callback` once after `ms` milliseconds of sandbox time. The returned function cancels the timer. Throws
   * a RangeError if `ms` is not a number.
   */
  after(ms: number, callback: () => void): () => void {
    return this.#set(ms, callback, true);
  }

  /** @internal Like `after`, but the timer does not keep the process alive. */
  schedule(ms: number, callback: () => void): () => void {
    return this.#set(ms, callback, false);
  }

  /**
   * Moves time forward by `ms` milliseconds and fires due timers in order, each at its due time. Timers created
   * meanwhile also fire if they become due. Errors of callbacks are rethrown after all timers fired, as an
   * AggregateError if there are several. Throws a RangeError unless `ms` is 0 or more.
   */
  advance(ms: number): void {
    if (!(ms >= 0) || !Number.isFinite(ms))
      throw new RangeError('advance() needs a number of milliseconds, 0 or more.');
    this.#runUntil(this.monotonic() + ms);
  }

  /**
   * Moves time forward to a moment: Unix milliseconds or ISO 8601 with a zone. Throws a RangeError if the moment
   * is in the past.
   */
  advanceTo(moment: Moment): void {
    const target = unixMs(moment);
    if (target < this.now()) {
      throw new RangeError(
        `advanceTo() cannot go back to ${new Date(target).toISOString()}: it is ${new Date(this.now()).toISOString()}.`,
      );
    }
    this.#runUntil(Math.max(target - this.#startedAt, this.monotonic()));
  }

  /** Pauses time. While paused, only `advance` and `advanceTo` move it. */
  pause(): void {
    this.#shift = this.monotonic();
    this.#runningSince = undefined;
    this.#arm();
  }

  /** Resumes with the machine's clock, from the current sandbox time. */
  resume(): void {
    this.#runningSince ??= performance.now();
    this.#arm();
  }

  /**
   * @internal Fires due timers. Errors of callbacks become uncaught exceptions because the caller did not cause
   * them.
   */
  catchUp(): void {
    const first = this.#timers[0];
    if (first === undefined || first.due > this.monotonic()) return;
    try {
      this.#runUntil(this.monotonic());
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }

  /** Cancels all timers. */
  stop(): void {
    this.#timers.length = 0;
    this.#arm();
  }

  #set(ms: number, callback: () => void, holds: boolean): () => void {
    if (Number.isNaN(ms)) throw new RangeError('after() needs a number of milliseconds.');
    const timer: Timer = { due: this.monotonic() + Math.max(0, ms), callback, holds };
    this.#timers.splice(this.#timers.findLastIndex(({ due }) => due <= timer.due) + 1, 0, timer);
    this.#arm();
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
      this.#arm();
    };
  }

  #runUntil(target: number): void {
    const thrown: unknown[] = [];
    for (let next = this.#takeDue(target); next !== undefined; next = this.#takeDue(target)) {
      this.#moveTo(next.due);
      try {
        next.callback();
      } catch (error) {
        thrown.push(error);
      }
    }
    this.#moveTo(target);
    this.#arm();
    if (thrown.length > 1) throw new AggregateError(thrown, `${thrown.length} timers of the sandbox threw`);
    if (thrown.length === 1) throw thrown[0];
  }

  #moveTo(moment: number): void {
    this.#shift += Math.max(0, moment - this.monotonic());
  }

  #takeDue(moment: number): Timer | undefined {
    const first = this.#timers[0];
    return first !== undefined && first.due <= moment ? this.#timers.shift() : undefined;
  }

  /**
   * Arms one machine timer for the earliest sandbox timer. A paused clock only arms it for a timer that is already
   * due.
   */
  #arm(): void {
    clearTimeout(this.#armed);
    this.#armed = undefined;
    const first = this.#timers[0];
    if (first === undefined) return;
    const wait = Math.min(Math.max(0, Math.ceil(first.due - this.monotonic())), longestTimeout);
    if (!this.running && wait > 0) return;
    this.#armed = setTimeout(() => this.#runUntil(this.monotonic()), wait);
    if (!this.#timers.some(({ holds }) => holds)) this.#armed.unref?.();
  }
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  /** Whether the timer keeps the process alive. */
  readonly holds: boolean;
}

/** Longest delay that setTimeout supports. A longer wait is re-armed. */
const longestTimeout = 2 ** 31 - 1;
